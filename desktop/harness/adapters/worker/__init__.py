"""One helper process for what is slow or reads untrusted bytes.

`client` is the side of the app; `__main__`, `serving` and the jobs (`search`) are the side of
the process. The process side imports a handful of standard modules and nothing of Qt,
the model client or the database, so that it starts in a few hundredths of a second. It can
be killed at any moment: it holds no state and writes no file.
"""
