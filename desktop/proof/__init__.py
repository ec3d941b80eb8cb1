"""Proof: a scripted model server that also judges every request it gets.

    async with ScriptedServer([text("Hello.")]) as server:
        ...  # talk to server.base_url
    assert not server.breaches

`script` is the language of replies, `referee` the rules, `server` the sockets, and `thread` the same
server for tests without a loop. `python -m desktop.proof SCRIPT.json` runs it as a process.
"""

from desktop.proof.referee import Breach as Breach
from desktop.proof.referee import Profile as Profile
from desktop.proof.server import ScriptedServer as ScriptedServer
from desktop.proof.thread import server_thread as server_thread
