"""The source of a request behind proxies, by the rule of Express' 'trust proxy'."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from .key_locations import Headers

_Address = IPv4Address | IPv6Address


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
        listed = [text.strip(" ") for text in forwarded_for.split(",")]
        for text in [peer or "", *reversed(list(filter(None, listed)))]:
            address = _parse(text)
            if address is None or not any(address in network for network in self._networks):
                break
        return None if address is None else str(address)


def _parse(text: str) -> _Address | None:
    """Returns an IPv4-mapped IPv6 address as its IPv4 address; None for a zone, which has a meaning on one machine."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    return None if address.scope_id is not None else (address.ipv4_mapped or address)
