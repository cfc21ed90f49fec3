"""The press: a process of its own that makes PDFs out of finished documents. It knows nothing of sheets or games."""
