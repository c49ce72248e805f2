"""The names of LangProBe's HoVer package, for code written against it: `hover_pipeline`, `hover_program` and so on."""
