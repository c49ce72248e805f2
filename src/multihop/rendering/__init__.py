"""Writing for people and files: phrases, HTML, SVG, Markdown, the account of a trace, and whole files."""
