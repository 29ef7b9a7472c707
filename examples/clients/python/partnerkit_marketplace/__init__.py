"""A typed client for resellers of a partnerkit marketplace."""

from .client import Marketplace
from .errors import MarketplaceError
from .events import SignatureError, verify_event

__all__ = ["Marketplace", "MarketplaceError", "SignatureError", "verify_event"]
