"""The world as the engine sees it: each module or package fills one of the ports."""
