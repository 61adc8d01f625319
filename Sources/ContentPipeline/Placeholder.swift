// Filled in by this module's own files.
