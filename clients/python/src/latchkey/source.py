"""The source of a request behind proxies, by the rule of Express' 'trust proxy'."""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from .key_locations import Headers

_Address = IPv4Address | IPv6Address

_MAX_CHARACTERS: Final = 512
_PARAMETER: Final = re.compile(r'[ \t]*([A-Za-z0-9_-]+)=("[^"\\]*"|[^\s",\\]+)[ \t]*')
_NODE: Final = re.compile(r"(?:\[([^\[\]]*)\]|([0-9.]+))(?::(?:[0-9]{1,5}|_[A-Za-z0-9_.-]+))?")
"""A node name of RFC 7239, section 6."""


class TrustedProxies:
    """Addresses and CIDR ranges of proxies. Raises ValueError for a text that is neither.

    Trust only proxies that append the address of their client to X-Forwarded-For, or that replace the field.
    """

    def __init__(self, ranges: Sequence[str]) -> None:
        self._networks = [ip_network(text) for text in ranges]

    def source_of(self, peer: str | None, headers: Headers) -> str | None:
        """Returns the IP address of the caller: the rightmost one that no trusted proxy has.

        `peer` is the address of the connection, before which those in X-Forwarded-For come. None if the address is not
        known, or if a proxy reports something else than an address.
        """
        forwarded_for = ",".join(value for name, value in headers if name == "x-forwarded-for")
        listed = [text.strip(" \t") for text in forwarded_for.split(",")]
        for text in [peer or "", *reversed(list(filter(None, listed)))]:
            address = _parse_reported(text)
            if address is None or not any(address in network for network in self._networks):
                break
        return None if address is None else str(address)


def _parse_reported(text: str) -> _Address | None:
    """Parses an address as proxies report it: also with a port, brackets or a zone, and as an element of Forwarded."""
    plain = _parse(text)
    if plain is not None or len(text) > _MAX_CHARACTERS:
        return plain
    text = text.strip(" \t")
    node = _client_of(text) if "=" in text else _unquoted(text)
    match = _NODE.fullmatch(node)
    if match is not None and match[2] is not None:
        return _parse(match[2])
    address = re.sub(r"%[A-Za-z0-9_.~-]+\Z", "", node if match is None else match[1])
    return _parse(address) if ":" in address else None


def _client_of(element: str) -> str:
    """Returns the parameter `for` of an element of Forwarded (RFC 7239); an empty text if there is not exactly one.

    An element in which another part is malformed is rejected: it can be the end of a quoted text with a comma, which a
    client has chosen.
    """
    parameters = [_PARAMETER.fullmatch(parameter) for parameter in element.split(";")]
    if None in parameters:
        return ""
    clients = [_unquoted(match[2]) for match in parameters if match is not None and match[1].lower() == "for"]
    return clients[0] if len(clients) == 1 else ""


def _unquoted(text: str) -> str:
    match = re.fullmatch(r'"([^"\\]*)"', text)
    return text if match is None else match[1]


def _parse(text: str) -> _Address | None:
    """Returns an IPv4-mapped IPv6 address as its IPv4 address, because servers that listen on :: get them."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    return None if address.scope_id is not None else (address.ipv4_mapped or address)
