"""Model services. `ChatCompletions` speaks to any OpenAI-compatible server; importing it costs nothing.

`client` alone touches the openai package and is imported late.
"""

from desktop.harness.adapters.providers.address import is_loopback as is_loopback
from desktop.harness.adapters.providers.address import is_plain as is_plain
from desktop.harness.adapters.providers.address import origin_of as origin_of
from desktop.harness.adapters.providers.chat import ChatCompletions as ChatCompletions
