"""The HTTP server: indexes behind an API, jobs for long work, and the web page. A thin shell over the engine."""

from multihop.errors import needs_extra

with needs_extra("The server", "server"):
    import fastapi  # noqa: F401
    import prometheus_client  # noqa: F401
    import python_multipart  # noqa: F401
    import uvicorn  # noqa: F401
