"""What the environment says to the SDK and to HTTP libraries, and what of it is heard. Fresh processes."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from desktop.proof import server_thread
from desktop.proof.script import text

ASK = textwrap.dedent(
    """
    import asyncio, json, sys
    from desktop.harness.adapters.providers import ChatCompletions
    from desktop.harness.core.definition import Route
    from desktop.harness.ports import ModelRequest

    async def main(base_url):
        model = ChatCompletions()
        body = b'{"model":"proof","messages":[{"role":"user","content":"hi"}]}'
        request = ModelRequest(route=Route(model="proof", base_url=base_url), body=body)
        try:
            pieces = [piece async for piece in model.stream(request)]
            print(pieces[-1].text, await model.models(base_url))
        except Exception as error:
            print(type(error).__name__, error)
        await model.close()

    asyncio.run(main(sys.argv[1]))
    """
)
RUBBISH = {
    "OPENAI_BASE_URL": "http://127.0.0.1:1/wrong",
    "OPENAI_API_KEY": "sk-environment",
    "OPENAI_ADMIN_KEY": "sk-environment",
    "OPENAI_ORG_ID": "org-environment",
    "OPENAI_PROJECT_ID": "project-environment",
    "OPENAI_WEBHOOK_SECRET": "hook-environment",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer environment\nX-Environment: yes\nContent-Type: no/type",
    "OPENAI_LOG": "debug",
    "HTTP_PROXY": "http://127.0.0.1:1",
    "HTTPS_PROXY": "rubbish://",
    "ALL_PROXY": "socks9://nowhere",
    "SSL_CERT_FILE": "/nowhere/cert.pem",
    "SSL_CERT_DIR": "/nowhere",
    "SSLKEYLOGFILE": "",
}


def run(code: str, *arguments: str, **environment: str) -> str:
    """What a fresh process with that environment prints, errors included."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.strip()


def test_rubbish_in_the_environment_does_not_reach_a_local_service() -> None:
    """Addresses, keys, headers, proxies, certificates and log switches of the environment change nothing."""
    with server_thread([text("hello")]) as server:
        assert run(ASK, server.base_url, **RUBBISH) == "hello ['proof']"
        headers = json.dumps(dict(server.exchanges[0].headers))
    assert "nvironment" not in headers and "Bearer none" in headers and "application/json" in headers


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "rubbish://", "socks5://127.0.0.1:1", "127.0.0.1:1"])
def test_a_proxy_that_does_not_work_is_one_sentence(proxy: str) -> None:
    """For another computer the proxy of the environment is used, and its failure is said plainly."""
    said = run(
        ASK, "https://model.example/v1", HTTPS_PROXY=proxy, SSL_CERT_FILE="/nowhere/cert.pem", NO_PROXY=""
    )
    assert said.startswith("ModelError") and "\n" not in said


def test_the_proxy_of_the_environment_is_used_for_other_computers() -> None:
    """A request for another host goes to the proxy, but for the exceptions in NO_PROXY."""
    with server_thread([]) as proxy:
        said = run(ASK, "http://model.invalid/v1", HTTP_PROXY=proxy.origin, NO_PROXY="")
        assert said.startswith("ModelError There is no model service") and proxy.connections == 1
        said = run(ASK, "http://model.invalid/v1", HTTP_PROXY=proxy.origin, NO_PROXY="model.invalid")
        assert said == "ModelError Nothing answers at http://model.invalid." and proxy.connections == 1


def test_the_sdk_is_imported_late() -> None:
    """Importing the provider imports neither openai nor its HTTP library; prewarm does."""
    code = textwrap.dedent(
        """
        import asyncio, sys
        from desktop.harness.adapters.providers import ChatCompletions
        print([name for name in ("openai", "httpx2", "pydantic") if name in sys.modules])
        asyncio.run(ChatCompletions().prewarm("http://127.0.0.1:9/v1"))
        print("openai" in sys.modules)
        """
    )
    assert run(code).splitlines() == ["[]", "True"]


def test_no_process_is_started_by_a_request() -> None:
    """The SDK's look at the platform runs no program."""
    audit = textwrap.dedent(
        """
        import sys
        def heard(event, args):
            if event in ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec", "os.system"):
                print(event, args)
        sys.addaudithook(heard)
        """
    )
    with server_thread([text("hello")]) as server:
        assert run(audit + ASK, server.base_url) == "hello ['proof']"
