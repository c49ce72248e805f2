"""A read-only MCP server: assistants retrieve and explain evidence, search, and read documents.

`server` creates one from open indexes; `serve_stdio` and `serve_http` run it. The command is `multihop mcp`.
"""

from multihop.errors import needs_extra

with needs_extra("The MCP server", "mcp"):
    from multihop.adapters.mcp.tools import server
    from multihop.adapters.mcp.transport import serve_http, serve_stdio

__all__ = ["serve_http", "serve_stdio", "server"]
