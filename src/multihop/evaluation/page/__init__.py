"""The pieces of the HTML report: markup, charts as inline SVG, tables, and the questions side by side."""
