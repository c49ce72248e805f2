"""The routes of the API, one file per resource."""
