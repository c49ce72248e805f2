"""Output writers: phrases, HTML, SVG, Markdown, CSV, workbooks, trace descriptions, and atomic file writes."""
