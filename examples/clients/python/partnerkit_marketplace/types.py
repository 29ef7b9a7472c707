"""The schemas of the marketplace's API, as types. Generated from its OpenAPI document: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class Account(TypedDict):
    """An account that can sign in. It never shows the password."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    email: str
    name: str
    # What the account may use: resellers read the catalog and book, affiliates read it with their own links,
    # partners register integrations, operators run the marketplace.
    role: Literal['reseller', 'affiliate', 'partner', 'operator']
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # True while it is disabled.
    disabled: bool


class AccountAnswer(TypedDict):
    """One account."""

    # 1 in every successful answer.
    success: Literal[1]
    data: Account


class AccountChangeRequest(TypedDict):
    """Changes of an account. Absent or null fields do not change."""

    # For people.
    name: NotRequired[str | None]
    # It ends all sessions of the account.
    password: NotRequired[str | None]
    # True disables the account: its sessions end, and its API tokens are refused until it is enabled.
    disabled: NotRequired[bool | None]


class AccountDetailAnswerDataApiTokensItem(TypedDict):
    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    token_id: str
    name: str
    # live or test; null for a token that was made before there were modes: its requests choose with X-Mode.
    mode: Literal['live', 'test', None]
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # When it was revoked; null while it is valid.
    revoked_at: str | None


class AccountDetailAnswerData(TypedDict):
    """An account that can sign in. It never shows the password."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    email: str
    name: str
    # What the account may use: resellers read the catalog and book, affiliates read it with their own links,
    # partners register integrations, operators run the marketplace.
    role: Literal['reseller', 'affiliate', 'partner', 'operator']
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # True while it is disabled.
    disabled: bool
    api_tokens: list[AccountDetailAnswerDataApiTokensItem]


class AccountDetailAnswer(TypedDict):
    """One account, and the long-lived tokens made for it, the newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    # An account that can sign in. It never shows the password.
    data: AccountDetailAnswerData


class AccountRequest(TypedDict):
    """An account to create."""

    # The address to sign in with. No other account has it.
    email: str
    password: str
    # What the account may use: resellers read the catalog and book, affiliates read it with their own links,
    # partners register integrations, operators run the marketplace.
    role: Literal['reseller', 'affiliate', 'partner', 'operator']
    # For people.
    name: NotRequired[str | None]


class AccountsAnswer(TypedDict):
    """One page of the accounts."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[Account]
    pagination: Pagination


class ActivitiesAnswer(TypedDict):
    """One page of the activities that a reseller may sell."""

    # 1 in every successful answer.
    success: Literal[1]
    # The activities of the page.
    data: list[Activity]
    pagination: Pagination


class ActivityActivityType(TypedDict):
    name: str


class ActivityLocationCountry(TypedDict):
    id: str
    name: str


class ActivityLocation(TypedDict):
    country: ActivityLocationCountry
    city: str
    region: str


class ActivityMediaItem(TypedDict):
    imageUrl: str


class ActivityPartnerDetails(TypedDict):
    name: str
    partner_category: str
    # Free-form.
    companyDetails: dict[str, Any]
    profileImage: str


class Activity(TypedDict):
    """A bookable activity as resellers read it. Slots are read separately. Every field is present. An unset field is an empty text, array or object, 0, false or null, depending on its type."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    activity_type: ActivityActivityType
    activity_title: str
    main_promo_title: str
    short_description: str
    description: str
    address: str
    # Active while it is sold.
    status: str
    # True when it takes place only once.
    one_time_activity: bool
    # The marketplace's surcharge in percent; null if not set.
    admin_price_percentage: float | None
    # The marketplace's discount in percent; null if not set.
    admin_discount_percentage: float | None
    location: ActivityLocation
    categories: list[str]
    tags: list[str]
    media: list[ActivityMediaItem]
    partner_details: ActivityPartnerDetails
    # The currency of every price of the activity.
    currency: str
    # The service fee in that currency, in its major unit. It is part of the prices.
    serviceFee: float
    # Fields of the activity in other languages, by language code: titles, texts, activity_type, location,
    # categories, tags, media, partner_details, and variations by _id.
    translation: dict[str, dict[str, Any]]
    variations: list[ActivityVariation]


class ActivityAnswer(TypedDict):
    """One activity."""

    # 1 in every successful answer.
    success: Literal[1]
    data: Activity


class ActivityCalendarAnswer(TypedDict):
    """The calendars of all variations of an activity."""

    # 1 in every successful answer.
    success: Literal[1]
    # The variations, in the activity's order.
    data: list[VariationCalendar]


class ActivityChangeRequestActivityType(TypedDict):
    name: NotRequired[str | None]


class ActivityChangeRequestLocationCountry(TypedDict):
    id: NotRequired[str | None]
    name: NotRequired[str | None]


class ActivityChangeRequestLocation(TypedDict):
    country: NotRequired[ActivityChangeRequestLocationCountry | None]
    city: NotRequired[str | None]
    region: NotRequired[str | None]


class ActivityChangeRequestMediaItem(TypedDict):
    imageUrl: str


class ActivityChangeRequestPartnerDetails(TypedDict):
    """The partner's name among them is always the integration's."""

    partner_category: NotRequired[str | None]
    # Free-form.
    companyDetails: NotRequired[dict[str, Any] | None]
    profileImage: NotRequired[str | None]


class ActivityChangeRequestTranslationValue(TypedDict):
    """Any fields. These replace the activity's own: activity_title, main_promo_title, short_description, description and address. `variations`, an object by variation id, replaces texts of variations: title, description, cancellation_policy, cut_off_time, notes, itinerary and includes."""

    activity_title: NotRequired[str | None]
    main_promo_title: NotRequired[str | None]
    short_description: NotRequired[str | None]
    description: NotRequired[str | None]
    address: NotRequired[str | None]


class ActivityChangeRequestVariationsItemPricing(TypedDict):
    # The price of a complete group, in the major unit, before the marketplace's percentages and fee; null if each
    # guest pays.
    group_price: NotRequired[float | None]
    # The currency of the group price; default: the activity's own.
    currency: NotRequired[str | None]


class ActivityChangeRequestVariationsItemDuration(TypedDict):
    """How long it takes: days plus hours. 0 for both means that it is not given."""

    hours: NotRequired[float | None]
    days: NotRequired[float | None]


class ActivityChangeRequestVariationsItemItineraryItem(TypedDict):
    title: NotRequired[str | None]
    description: NotRequired[str | None]


class ActivityChangeRequestVariationsItemIncludes(TypedDict):
    transportation_methods: NotRequired[list[str] | None]
    food: NotRequired[list[str] | None]
    drinks: NotRequired[list[str] | None]
    including: NotRequired[list[str] | None]
    excluding: NotRequired[list[str] | None]


class ActivityChangeRequestVariationsItemMedia(TypedDict):
    imageUrl: NotRequired[str | None]


class ActivityChangeRequestVariationsItemTourGuidesItem(TypedDict):
    tour_guide_id: NotRequired[str | None]
    name: NotRequired[str | None]


class ActivityChangeRequestVariationsItemPickupPickUpAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: NotRequired[str | None]
    lat: NotRequired[float | None]
    lng: NotRequired[float | None]


class ActivityChangeRequestVariationsItemPickupDropOffAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: NotRequired[str | None]
    lat: NotRequired[float | None]
    lng: NotRequired[float | None]


class ActivityChangeRequestVariationsItemPickup(TypedDict):
    type: NotRequired[str | None]
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    pick_up_address: NotRequired[ActivityChangeRequestVariationsItemPickupPickUpAddress | None]
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    drop_off_address: NotRequired[ActivityChangeRequestVariationsItemPickupDropOffAddress | None]


class ActivityChangeRequestVariationsItem(TypedDict):
    _id: str
    # Null restores the partner's name for the option.
    title: NotRequired[str | None]
    # The position among the variations, lowest first.
    sort: NotRequired[int]
    # The languages in which it is offered.
    language: NotRequired[list[str] | None]
    description: NotRequired[str | None]
    pricing: NotRequired[ActivityChangeRequestVariationsItemPricing | None]
    # The maximum number of guests in one booking; 0 means no limit.
    max_no_booking: NotRequired[int | None]
    # How long it takes: days plus hours. 0 for both means that it is not given.
    duration: NotRequired[ActivityChangeRequestVariationsItemDuration | None]
    itinerary: NotRequired[list[ActivityChangeRequestVariationsItemItineraryItem] | None]
    includes: NotRequired[ActivityChangeRequestVariationsItemIncludes | None]
    cut_off_time: NotRequired[str | None]
    media: NotRequired[ActivityChangeRequestVariationsItemMedia | None]
    tourGuides: NotRequired[list[ActivityChangeRequestVariationsItemTourGuidesItem] | None]
    pickup: NotRequired[ActivityChangeRequestVariationsItemPickup | None]
    notes: NotRequired[str | None]


class ActivityChangeRequest(TypedDict):
    """An operator's edits of an activity: a JSON merge patch (RFC 7396) of the fields that resellers read. An absent field does not change, null clears a field, an object is merged into the existing one, and an array replaces the existing one. Other fields are refused; only the partner's next sync changes the partner's own fields."""

    # Null restores the partner's name for the product.
    activity_title: NotRequired[str | None]
    # Whether the marketplace sells the activity. Resellers see it only while its partner sells it too. Null means
    # Active.
    status: NotRequired[Literal['Active', 'Inactive', None]]
    activity_type: NotRequired[ActivityChangeRequestActivityType | None]
    main_promo_title: NotRequired[str | None]
    short_description: NotRequired[str | None]
    description: NotRequired[str | None]
    address: NotRequired[str | None]
    # True when it takes place only once.
    one_time_activity: NotRequired[bool | None]
    # The surcharge on the partner's price, in percent.
    admin_price_percentage: NotRequired[float | None]
    # The discount in percent.
    admin_discount_percentage: NotRequired[float | None]
    location: NotRequired[ActivityChangeRequestLocation | None]
    categories: NotRequired[list[str] | None]
    tags: NotRequired[list[str] | None]
    media: NotRequired[list[ActivityChangeRequestMediaItem] | None]
    # The partner's name among them is always the integration's.
    partner_details: NotRequired[ActivityChangeRequestPartnerDetails | None]
    # Texts in other languages, by language code.
    translation: NotRequired[dict[str, ActivityChangeRequestTranslationValue | None] | None]
    # The variations that change, by id. Others do not change.
    variations: NotRequired[list[ActivityChangeRequestVariationsItem]]


class ActivityVariationDuration(TypedDict):
    """How long it takes: days plus hours. Both are 0 if it is not given."""

    hours: float
    days: float


class ActivityVariationItineraryItem(TypedDict):
    title: str
    description: str


class ActivityVariationIncludes(TypedDict):
    """What the price includes and excludes."""

    transportation_methods: list[str]
    food: list[str]
    drinks: list[str]
    including: list[str]
    excluding: list[str]


class ActivityVariationRestrictions(TypedDict):
    """The parties that the partner takes. A booking of another number of guests, infants included, is refused with 400."""

    # The fewest guests in one booking; null if the partner names no limit.
    min_units: int | None
    # The most guests in one booking; null if the partner names no limit.
    max_units: int | None


class ActivityVariationMedia(TypedDict):
    imageUrl: str


class ActivityVariationTourGuidesItem(TypedDict):
    tour_guide_id: str
    name: str


class ActivityVariationPickupPickUpAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: str
    # Degrees north.
    lat: float
    # Degrees east.
    lng: float


class ActivityVariationPickupDropOffAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: str
    # Degrees north.
    lat: float
    # Degrees east.
    lng: float


class ActivityVariationPickup(TypedDict):
    """Where guests are picked up and dropped off."""

    type: str
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    pick_up_address: ActivityVariationPickupPickUpAddress
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    drop_off_address: ActivityVariationPickupDropOffAddress


class ActivityVariationExternalSync(TypedDict):
    # The id of the partner's option; null for the marketplace's own variations.
    external_option_id: str | None


class ActivityVariation(TypedDict):
    """One way to take an activity. Every field is present. An unset field is an empty text, array or object, 0, false or null, depending on its type."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    title: str
    # The position among the variations, lowest first.
    sort: float
    # The languages in which it is offered.
    language: list[str]
    description: str
    # START_TIME: guests come at a fixed start. OPENING_HOURS: they come at any time within a window.
    availability_type: Literal['START_TIME', 'OPENING_HOURS']
    pricing: PublicVariationPricing
    # The largest known capacity of its slots, in seats.
    capacity: float
    # The maximum number of guests in one booking; 0 means no limit.
    max_no_booking: float
    # How long it takes: days plus hours. Both are 0 if it is not given.
    duration: ActivityVariationDuration
    # What happens, step by step.
    itinerary: list[ActivityVariationItineraryItem]
    # What the price includes and excludes.
    includes: ActivityVariationIncludes
    # True if the partner confirms without a manual check.
    instant_confirmation: bool
    # For people to read.
    cancellation_policy: str
    # The parties that the partner takes. A booking of another number of guests, infants included, is refused with
    # 400.
    restrictions: ActivityVariationRestrictions
    # The booking deadline, as text for people.
    cut_off_time: str
    media: ActivityVariationMedia
    tourGuides: list[ActivityVariationTourGuidesItem]
    # Where guests are picked up and dropped off.
    pickup: ActivityVariationPickup
    notes: str
    external_sync: ActivityVariationExternalSync


class Admission(TypedDict):
    """Under which conditions the integration's activities are listed."""

    # The policy in force. off: certificates are not shown. advise: they are shown. require: also, activities of
    # live integrations are listed only with one.
    certification: Literal['off', 'advise', 'require']
    # The policy that operators have set for this integration; null: the marketplace's.
    certification_own: Literal['off', 'advise', 'require', None]
    # The policy that operators had set for this integration until base_url, auth_type or handles_ticket_delivery
    # changed; null without one, and once operators have set the policy again. A change does not end `require`.
    certification_ended: Literal['off', 'advise', None]
    # The partner's request to go live. ended: it was approved, and base_url, auth_type or handles_ticket_delivery
    # has changed since. A partner that was declined, or whose approval ended, may ask again.
    go_live: Literal['none', 'requested', 'approved', 'declined', 'ended']
    # The activities are not listed until an operator has approved the integration.
    approval_required: bool
    # When the partner asked; null if it has not.
    go_live_requested_at: str | None
    # When an operator approved or declined, or the approval ended; null without a decision.
    go_live_decided_at: str | None
    # The operator's reason, or the settings whose change ended the approval; null without one.
    go_live_reason: str | None


class AffiliateActivitiesAnswer(TypedDict):
    """One page of the activities that an affiliate may link to."""

    # 1 in every successful answer.
    success: Literal[1]
    # The activities of the page.
    data: list[AffiliateActivity]
    pagination: Pagination


class AffiliateActivityActivityType(TypedDict):
    name: str


class AffiliateActivityLocationCountry(TypedDict):
    id: str
    name: str


class AffiliateActivityLocation(TypedDict):
    country: AffiliateActivityLocationCountry
    city: str
    region: str


class AffiliateActivityMediaItem(TypedDict):
    imageUrl: str


class AffiliateActivityPartnerDetails(TypedDict):
    name: str
    partner_category: str
    # Free-form.
    companyDetails: dict[str, Any]
    profileImage: str


class AffiliateActivity(TypedDict):
    """An activity as an affiliate reads it: with the affiliate's own link to it."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    activity_type: AffiliateActivityActivityType
    activity_title: str
    main_promo_title: str
    short_description: str
    description: str
    address: str
    # Active while it is sold.
    status: str
    # True when it takes place only once.
    one_time_activity: bool
    # The marketplace's surcharge in percent; null if not set.
    admin_price_percentage: float | None
    # The marketplace's discount in percent; null if not set.
    admin_discount_percentage: float | None
    location: AffiliateActivityLocation
    categories: list[str]
    tags: list[str]
    media: list[AffiliateActivityMediaItem]
    partner_details: AffiliateActivityPartnerDetails
    # The currency of every price of the activity.
    currency: str
    # The service fee in that currency, in its major unit. It is part of the prices.
    serviceFee: float
    # Fields of the activity in other languages, by language code: titles, texts, activity_type, location,
    # categories, tags, media, partner_details, and variations by _id.
    translation: dict[str, dict[str, Any]]
    variations: list[ActivityVariation]
    # Where the affiliate sends its customers: the activity in the shop that the operator has configured, with the
    # affiliate's code. Null if none is configured.
    affiliate_url: str | None


class ApiTokenAnswerData(TypedDict):
    # The token's id, used to revoke it.
    token_id: str
    # live or test.
    mode: Literal['live', 'test']
    # What the reseller sends in x-api-token. It begins with pk_live_ or pk_test_, and is shown only once.
    api_token: str


class ApiTokenAnswer(TypedDict):
    """The only answer that ever shows the token."""

    # 1 in every successful answer.
    success: Literal[1]
    data: ApiTokenAnswerData


class ApiTokenRequest(TypedDict):
    """An API token to create for a reseller."""

    # A name for the token, for people.
    name: str
    # test for a token that sees and books activities of test integrations alone.
    mode: NotRequired[Literal['live', 'test', None]]


class AvailabilityNotifyAnswerData(TypedDict):
    # Always true, whether the slot is known or the catalog must first be pulled.
    updated: bool


class AvailabilityNotifyAnswer(TypedDict):
    """Confirms the notification (WHK-3)."""

    # 1 in every successful answer.
    success: Literal[1]
    data: AvailabilityNotifyAnswerData


class AvailabilityNotifyRequest(TypedDict):
    """A notification about one slot (WHK-2). Without capacity, vacancies sets both; without both, neither changes."""

    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    productId: str
    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    optionId: str
    # The slot's id from the partner's availability answer.
    availabilityId: str
    # When the slot starts, with its UTC offset.
    localDateTimeStart: str
    # When the slot ends, with its UTC offset.
    localDateTimeEnd: NotRequired[str | None]
    # AVAILABLE, LIMITED (few left) and FREESALE (no limit) can be booked; SOLD_OUT is shown and cannot be; CLOSED
    # is hidden (AVL-9).
    status: Literal['AVAILABLE', 'FREESALE', 'LIMITED', 'SOLD_OUT', 'CLOSED']
    # Seats left.
    vacancies: NotRequired[int | None]
    # Total seats.
    capacity: NotRequired[int | None]
    # The slot's own prices.
    unitPricing: NotRequired[list[UnitPricing] | None]


class BookingVoucherPickupPickUpAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: str
    # Degrees north.
    lat: float
    # Degrees east.
    lng: float


class BookingVoucherPickupDropOffAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: str
    # Degrees north.
    lat: float
    # Degrees east.
    lng: float


class BookingVoucherPickup(TypedDict):
    """Where guests are picked up and dropped off."""

    type: str
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    pick_up_address: BookingVoucherPickupPickUpAddress
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    drop_off_address: BookingVoucherPickupDropOffAddress


class BookingVoucher(TypedDict):
    """What guests need beside their tickets, as it was at checkout. Texts that are not set are empty."""

    # Who receives the guests.
    partner_name: str
    # Where the activity takes place.
    address: str
    # Where guests are picked up and dropped off.
    pickup: BookingVoucherPickup
    # The partner's cancellation policy.
    cancellation_policy: str
    # What guests should know before they come.
    notes: str


class BookingUnitsItem(TypedDict):
    # The partner's unit.
    unit_id: str
    # The kind of guest.
    type: Literal['ADULT', 'CHILD', 'INFANT', 'SENIOR', 'STUDENT']
    # How many.
    quantity: int
    # Of one; null with a group price.
    price: float | None


class BookingAttention(TypedDict):
    """Why the booking needs attention; null if it does not."""

    # Why.
    reason: Literal['confirm_refused', 'confirm_unknown', 'late_payment', 'duplicate_payment', 'duplicate_booking_id', 'reserve_unknown', 'release_failed', 'cancel_failed', 'reschedule_unknown']
    # Since when.
    since: str
    # As text: the partner's own message, if there is one.
    message: str
    # The references of the payments to refund, if the reason is `duplicate_payment`. Otherwise it is empty.
    refund_references: list[str]
    # The actions that an operator can take; each is a call below the booking.
    actions: list[Literal['confirm', 'cancel', 'deliver', 'resolve']]


class Booking(TypedDict):
    """A customer's booking through a reseller."""

    # The booking. The partner knows it as resellerReference.
    _id: str
    # live or test. Only for operators.
    mode: NotRequired[Literal['live', 'test']]
    # The reseller's account. Only for operators.
    reseller_id: NotRequired[str | None]
    # The partner's integration, which may be deleted. Only for operators.
    integration_id: NotRequired[str | None]
    # The status. Operators also see checkouts without a booking: RESERVING, REFUSED, LOST.
    status: Literal['HELD', 'PAID', 'CONFIRMED', 'RELEASED', 'CANCELLED', 'RESERVING', 'REFUSED', 'LOST']
    # Why the hold was released.
    release_reason: Literal['abandoned', 'payment_failed', 'expired', 'unwanted', 'withdrawn', None]
    # The activity.
    activity_id: str
    # The variation.
    variation_id: str
    # The slot, as the partner called it at checkout.
    availability_id: str
    # When the slot begins, in the product's zone.
    start: str
    # When the slot ends.
    end: str
    # The product's time zone, as an IANA name.
    time_zone: str
    # The activity's title at checkout. Later changes of the catalog do not change it.
    activity_title: str
    # The variation's title at checkout.
    variation_title: str
    # What guests need beside their tickets, as it was at checkout. Texts that are not set are empty.
    voucher: BookingVoucher
    # The guests.
    units: list[BookingUnitsItem]
    # Of price and total.
    currency: str
    # What the customer pays.
    total: float
    contact: Contact
    # The affiliate that referred the customer.
    affiliate_code: str | None
    # The reseller's own reference.
    reseller_reference: str
    # When it was created.
    created_at: str
    # When the hold expires.
    expires_at: str | None
    # The partner's, once it has confirmed.
    external_booking_id: str | None
    # What guests show at the entrance, if the partner delivers tickets. Empty for a cancelled booking.
    tickets: list[Ticket]
    # Why the booking needs attention; null if it does not.
    attention: BookingAttention | None
    # The progress of the release at the partner; null if none is needed.
    partner_release: Literal['pending', 'done', 'not_supported', 'failed', None]
    # The progress of the cancellation at the partner; null if none is needed.
    partner_cancellation: Literal['pending', 'done', 'not_supported', 'failed', None]
    # The booking that this one replaces; null if it replaces none.
    rescheduled_from: str | None
    # The booking that replaces this one. This one is CANCELLED once the partner has confirmed that one; until then
    # it is CONFIRMED and cannot be cancelled.
    rescheduled_to: str | None
    # What the booking costs less than the one that it replaces, in the same currency; null if it does not. The
    # marketplace moves no money.
    refund_due: float | None
    # The history, oldest first: transitions and calls to the partner.
    history: list[BookingHistoryItem]


class BookingAnswer(TypedDict):
    """A booking."""

    # 1 in every successful answer.
    success: Literal[1]
    data: Booking


class BookingBookingsAnswer(TypedDict):
    """One page of bookings, the newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    # The bookings of the page.
    data: list[Booking]
    pagination: Pagination


class BookingCancelRequest(TypedDict):
    """Why a booking is cancelled."""

    # As text; the partner reads it.
    reason: NotRequired[str | None]


class BookingRequestUnitsItem(TypedDict):
    # The kind of guest. It is required unless unit_id is given.
    type: NotRequired[Literal['ADULT', 'CHILD', 'INFANT', 'SENIOR', 'STUDENT', None]]
    # The unit_id from pricing.units. Required if several units have the same type.
    unit_id: NotRequired[str | None]
    # How many.
    quantity: int


class BookingRequestContact(TypedDict):
    """The guest who books."""

    # The guest's name, in any alphabet.
    fullName: str
    # The guest's email address.
    emailAddress: str
    # The guest's telephone number.
    phoneNumber: NotRequired[str | None]


class BookingRequest(TypedDict):
    """What a customer wants to book."""

    # The activity.
    activity_id: str
    # A variation of it.
    variation_id: str
    # A slot of the calendar day.
    availability_id: str
    # The guests, each unit once.
    units: list[BookingRequestUnitsItem]
    # The guest who books.
    contact: BookingRequestContact
    # Of the price; default: the partner's.
    currency: NotRequired[str | None]
    # The affiliate that referred the customer.
    affiliate_code: NotRequired[str | None]
    # The reseller's own reference for the booking.
    reseller_reference: NotRequired[str | None]


class CalendarAnswer(TypedDict):
    """A variation's calendar: one row for each requested date, in order."""

    # 1 in every successful answer.
    success: Literal[1]
    # The dates, at most 62.
    data: list[CalendarDay]


class CalendarDay(TypedDict):
    """A variation's slots on one date. Closed slots (AVL-9) and those that have started are not counted."""

    # YYYY-MM-DD, in the product's zone (GEN-5).
    date: str
    # The best status of its slots, in the order of this list; NONE without slots.
    status: Literal['AVAILABLE', 'FREESALE', 'LIMITED', 'SOLD_OUT', 'NONE']
    # The lowest price for an adult among bookable slots, in the major unit of the currency. Without an adult unit
    # it is the first unit's price; with a group price, the group's. Null if nothing can be booked in this currency:
    # a day with seats and without a price keeps its status.
    from_price: float | None
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    # How many slots it has, sold-out ones too.
    slots: int
    # The seats left in bookable slots; null if one of them does not count seats (AVL-14).
    vacancies: int | None


class CallsAnswerDataItem(TypedDict):
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str
    # Which was called.
    endpoint: Literal['products', 'availability', 'reserve', 'confirm', 'release', 'cancel']
    # The HTTP status of the answer; null if no answer was read.
    status: int | None
    # How long it took.
    duration_ms: int
    # refused: an answer that the contract allows, such as a 400 with a message to reserve or confirm, or a cancel
    # that the partner does not support. failed: any other that is not a good answer.
    outcome: Literal['ok', 'refused', 'failed']
    # What was wrong; null if nothing was. The values of answers about bookings are left out.
    error: str | None


class CallsAnswer(TypedDict):
    """One page of the last calls to the partner, newest first. They have no customer data."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[CallsAnswerDataItem]
    pagination: Pagination


class CertificationRequestSettings(TypedDict):
    """The settings that the operator looked at. If the integration has others by now, the answer is a 409. Without it, those in force."""

    # The address of the partner's endpoints: http or https, optionally with a path, without user information, query
    # or fragment (AUTH-4).
    base_url: str
    # How the marketplace sends its key: bearer sends Bearer and the key, api_key the key alone (AUTH-1).
    auth_type: Literal['bearer', 'api_key']
    # True when the partner delivers its own tickets and so answers every confirm with them (CNF-6).
    handles_ticket_delivery: bool


class CertificationRequest(TypedDict):
    """The integration's own certification policy."""

    # null or absent: the marketplace's policy.
    certification: NotRequired[Literal['off', 'advise', 'require', None]]
    # The settings that the operator looked at. If the integration has others by now, the answer is a 409. Without
    # it, those in force.
    settings: NotRequired[CertificationRequestSettings | None]


class ChangeRequest(TypedDict):
    """Changes of an integration. Absent or null fields do not change."""

    # The partner's name, for people.
    name: NotRequired[str | None]
    # The address of the partner's endpoints: http or https, optionally with a path, without user information, query
    # or fragment (AUTH-4).
    base_url: NotRequired[str | None]
    # How the marketplace sends its key: bearer sends Bearer and the key, api_key the key alone (AUTH-1).
    auth_type: NotRequired[Literal['bearer', 'api_key', None]]
    # The key that the marketplace sends to the partner in a header: printable ASCII without leading or trailing
    # spaces. Required if base_url has another scheme, host or port: a stored key is sent only to the origin that it
    # was given for.
    auth_key: NotRequired[str | None]
    # A client certificate in PEM, with its intermediate certificates, if the partner requires one (mutual TLS). It
    # needs client_key. An empty text removes the stored one.
    client_certificate: NotRequired[str | None]
    # The private key of client_certificate, in PEM, without a password.
    client_key: NotRequired[str | None]
    # True when the partner delivers its own tickets and so answers every confirm with them (CNF-6).
    handles_ticket_delivery: NotRequired[bool | None]
    # True stores a new address or key without testing it.
    force: NotRequired[bool | None]


class CommissionsAnswerDataItem(TypedDict):
    # The booking.
    booking_id: str
    # It accrues when the partner confirms, and is reversed with a cancellation.
    status: Literal['accrued', 'reversed']
    # Of the amount.
    currency: str
    # The affiliate's share of the total.
    amount: float
    # When the partner confirmed.
    accrued_at: str
    # When the booking was cancelled.
    reversed_at: str | None


class CommissionsAnswer(TypedDict):
    """One page of an affiliate's commissions, newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    # The commissions of the page.
    data: list[CommissionsAnswerDataItem]
    pagination: Pagination


class ConformanceAnswerDataPartnersItemCellsItemBreachesItem(TypedDict):
    # The rule's id.
    rule: str
    # failed, or warned for a breach that does not change the verdict.
    outcome: Literal['failed', 'warned']
    # The end of the first run in a row that found it.
    since: str
    # The last run that found it.
    run_id: str


class ConformanceAnswerDataPartnersItemCellsItem(TypedDict):
    # When a rule of the endpoint was judged last; null: never.
    judged_at: str | None
    # The rules that the last run that judged them found broken, the longest first.
    breaches: list[ConformanceAnswerDataPartnersItemCellsItemBreachesItem]


class ConformanceAnswerDataPartnersItem(TypedDict):
    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    integration_id: str
    name: str
    mode: Literal['live', 'test']
    # The certification state; also where certificates are not shown.
    state: Literal['none', 'certified', 'failed', 'expired']
    # Of the last certificate; null without one.
    valid_until: str | None
    # Its activities are not listed, for want of a certificate or an approval.
    withheld: bool
    admission: Admission
    # Since when the oldest MUST rule fails; null if none does.
    failing_since: str | None
    # When a rule was judged last; null if none ever was.
    judged_at: str | None
    # One for each endpoint.
    cells: list[ConformanceAnswerDataPartnersItemCellsItem]
    # For each day the worst result of its runs: nonconformant, failed (the run had no verdict), incomplete, partial
    # or conformant; empty without a run.
    days: list[str]


class ConformanceAnswerData(TypedDict):
    # The endpoints of each partner's cells, in order.
    endpoints: list[str]
    # The days of each partner's days, in UTC, oldest first.
    days: list[str]
    # More partners match than are listed: at most 1,000 are.
    truncated: bool
    # Those that fail longest first, then by name.
    partners: list[ConformanceAnswerDataPartnersItem]


class ConformanceAnswer(TypedDict):
    """Which partners breach which rules, and since when."""

    # 1 in every successful answer.
    success: Literal[1]
    data: ConformanceAnswerData


class ConformanceReport(TypedDict):
    """The report.json of the conformance suite, as the command writes it."""

    # What the run says of the partner.
    verdict: Literal['conformant', 'nonconformant', 'partial', 'incomplete']


class ConformanceRun(TypedDict):
    """One run of the conformance suite against an integration's partner."""

    # The run's id.
    run_id: str
    # The integration that is tested.
    integration_id: str
    # full makes holds and bookings and undoes them; read_only reads the catalog and availability.
    scope: Literal['full', 'read_only']
    # The ids of the rules that the run judges; empty: all.
    rules: list[str]
    # queued, running, finished (there is a verdict), or failed: the suite could not be run to its end, and nothing
    # is known of the partner.
    state: Literal['queued', 'running', 'finished', 'failed']
    # conformant: no MUST rule failed. nonconformant: at least one did. partial: none failed in a read_only run, or
    # in a run of some rules. incomplete: the partner could not be judged. null: the run has not finished.
    verdict: Literal['conformant', 'nonconformant', 'partial', 'incomplete', None]
    # Why the run failed, or why the verdict is partial or incomplete; else null.
    reason: str | None
    # The version of the suite; null before a verdict.
    suite_version: str | None
    # The version of the contract that was tested; null before a verdict.
    contract_version: str | None
    # How many rules had each outcome.
    counts: dict[str, int]
    # When the run was requested.
    created_at: str
    # When it started; null: it has not.
    started_at: str | None
    # When it ended; null: it has not.
    finished_at: str | None


class ConformanceRunAnswer(TypedDict):
    """A conformance run with its findings."""

    # 1 in every successful answer.
    success: Literal[1]
    data: ConformanceRun


class ConformanceRunRequest(TypedDict):
    """What a conformance run may do, and which rules it judges. By default it is a full run of all rules."""

    # full makes holds and bookings and undoes them; read_only reads the catalog and availability.
    scope: NotRequired[Literal['full', 'read_only', None]]
    # Judge only the rules with these ids, for example those that the last run found breached. The verdict is then
    # partial or nonconformant, so the run issues no certificate. Absent, null or empty: all rules.
    rules: NotRequired[list[str] | None]


class ConformanceRunStartedAnswerData(TypedDict):
    # The run's id.
    run_id: str


class ConformanceRunStartedAnswer(TypedDict):
    """The run that was queued."""

    # 1 in every successful answer.
    success: Literal[1]
    data: ConformanceRunStartedAnswerData


class ConformanceRunsAnswer(TypedDict):
    """One page of conformance runs, newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[ConformanceRun]
    pagination: Pagination


class ConformanceShareAnswerData(TypedDict):
    # Revokes the link.
    share_id: str
    # The link. Everyone who has it can read the report, without signing in.
    url: str
    # When the link stops working.
    expires_at: str


class ConformanceShareAnswer(TypedDict):
    """A link to the report."""

    # 1 in every successful answer.
    success: Literal[1]
    data: ConformanceShareAnswerData


class ConformanceShareRequest(TypedDict):
    """How long the link works."""

    # How many days the link works. Absent or null: 7.
    expires_in_days: NotRequired[int | None]


class ConformanceSharesAnswerDataItem(TypedDict):
    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    share_id: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # When the link stops working.
    expires_at: str
    # The email address of the account that made it; null in answers to partners if an operator made it.
    created_by: str | None


class ConformanceSharesAnswer(TypedDict):
    """The links to the report that work, newest first. A link's URL is shown only when it is made."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[ConformanceSharesAnswerDataItem]


class Contact(TypedDict):
    """The guest who books (RSV-1)."""

    # The guest's name.
    fullName: NotRequired[str | None]
    # The guest's email address.
    emailAddress: NotRequired[str | None]
    # The guest's telephone number.
    phoneNumber: NotRequired[str | None]


class DeliveryOption(TypedDict):
    """One form of a ticket (CNF-6). The marketplace forwards it to the guest."""

    # The format of deliveryValue.
    deliveryFormat: Literal['QRCODE', 'CODE128', 'PDF_URL', 'AZTEC', 'EAN13']
    # The kind of document that the guest gets.
    deliveryMethod: Literal['TICKET', 'VOUCHER']
    # The content of the code, or the address of the PDF.
    deliveryValue: str


class DoneAnswer(TypedDict):
    """The request succeeded."""

    # 1 in every successful answer.
    success: Literal[1]
    # An empty object.
    data: dict[str, Any]


class Event(TypedDict):
    """Something that happened to a reseller's booking, or to the catalog: the body of a webhook, and an entry of the feed. It has no guest data: read the booking."""

    # The event. An event that is sent twice has the same id.
    id: str
    # The type of the event. New types may be added.
    type: Literal['booking.confirmed', 'booking.cancelled', 'booking.released', 'booking.attention', 'activity.changed', 'activity.removed', 'slot.changed']
    # When the event happened.
    timestamp: str
    # By type: booking.* is event-booking, slot.changed event-slot, activity.* event-activity.
    data: Union[EventBooking, EventSlot, EventActivity]


class EventActivity(TypedDict):
    """The activity that changed, or that can no longer be sold."""

    # The activity.
    activity_id: str


class EventBooking(TypedDict):
    """The data of a booking.* event. It contains nothing about the guest."""

    # The booking.
    booking_id: str
    # The reseller's own reference.
    reseller_reference: str
    # The booking's status.
    status: Literal['HELD', 'PAID', 'CONFIRMED', 'RELEASED', 'CANCELLED']
    # Why the booking is RELEASED; null if it is not.
    release_reason: str | None
    # The activity.
    activity_id: str
    # The variation.
    variation_id: str
    # The booking that this one replaces; null if it replaces none.
    rescheduled_from: str | None
    # The booking that replaces this one; null if none does. A booking.cancelled with it is no refund.
    rescheduled_to: str | None
    # Why the booking needs an operator.
    attention: list[str]


class EventDeliveriesAnswer(TypedDict):
    """The last deliveries of a webhook, the newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[EventDelivery]


class EventDeliveryLastAttempt(TypedDict):
    """The last attempt; null if there was none."""

    # When.
    at: str
    # The HTTP status; null if no response was read.
    status: int | None
    # Why it failed; null if it succeeded.
    error: str | None


class EventDelivery(TypedDict):
    """How far an event has come on its way to a webhook's URL."""

    # The event, which is also the webhook-id header.
    event_id: str
    # The event's data.
    type: Literal['booking.confirmed', 'booking.cancelled', 'booking.released', 'booking.attention', 'activity.changed', 'activity.removed', 'slot.changed']
    # pending until an attempt succeeds (delivered), or three days have passed or the webhook is disabled (failed).
    state: Literal['pending', 'delivered', 'failed']
    # How often it was sent.
    attempts: int
    # When it became due.
    created_at: str
    # The next attempt; later while an earlier event of the same booking is pending. null without one.
    next_attempt_at: str | None
    # The last attempt; null if there was none.
    last_attempt: EventDeliveryLastAttempt | None


class EventDeliveryAnswer(TypedDict):
    """One delivery."""

    # 1 in every successful answer.
    success: Literal[1]
    data: EventDelivery


class EventSlot(TypedDict):
    """Where slots changed: read the availability of these dates again."""

    # The activity.
    activity_id: str
    # The variation.
    variation_id: str
    # The dates whose slots changed, in the product's zone.
    dates: list[str]


class EventWebhookDisabled(TypedDict):
    """Why nothing is sent to it any more; null while it is in use."""

    # Since when.
    at: str
    # Why.
    reason: str


class EventWebhook(TypedDict):
    """The events that a reseller subscribes to, and the state of its URL."""

    # The webhook.
    _id: str
    # live or test: it receives events of this mode.
    mode: Literal['live', 'test']
    # Where events are sent; null if they are only kept for the feed.
    url: str | None
    # The types of events.
    events: list[Literal['booking.confirmed', 'booking.cancelled', 'booking.released', 'booking.attention', 'activity.changed', 'activity.removed', 'slot.changed']]
    # When it was created.
    created_at: str
    # The first failed attempt since the last successful one; null if the last attempt succeeded.
    failing_since: str | None
    # Why nothing is sent to it any more; null while it is in use.
    disabled: EventWebhookDisabled | None
    # Until then, the secret before the last rotation signs too; null if only one secret signs.
    previous_secret_until: str | None
    # The signing secret, whsec_ and base64: only the answers that create the webhook or rotate its secret have it,
    # any other null.
    secret: str | None


class EventWebhookAnswer(TypedDict):
    """A webhook. It has its signing secret when it is created, or when the secret is rotated."""

    # 1 in every successful answer.
    success: Literal[1]
    data: EventWebhook


class EventWebhookChangeRequest(TypedDict):
    """Changes of a webhook. What is left out or null is unchanged."""

    # Where events are sent from now on, as when the webhook is created. An empty text removes it: the events are in
    # the feed only.
    url: NotRequired[str | None]
    # The types of events from now on.
    events: NotRequired[list[Literal['booking.confirmed', 'booking.cancelled', 'booking.released', 'booking.attention', 'activity.changed', 'activity.removed', 'slot.changed']] | None]
    # false: nothing is sent, and `disabled` says so; its events are in the feed. true: events are sent from now on.
    enabled: NotRequired[bool | None]


class EventWebhookRequest(TypedDict):
    """The events that the reseller subscribes to, and the URL that receives them."""

    # Where events are sent: an http or https URL of a public host, without user and fragment. Leave it out to read
    # the events from the feed only.
    url: NotRequired[str | None]
    # The types of events.
    events: list[Literal['booking.confirmed', 'booking.cancelled', 'booking.released', 'booking.attention', 'activity.changed', 'activity.removed', 'slot.changed']]


class EventWebhooksAnswer(TypedDict):
    """A reseller's webhooks, the oldest first."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[EventWebhook]


class EventsAnswer(TypedDict):
    """A part of the feed, the oldest event first."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[Event]
    # Store it, and send it as after to read on, also when data is empty. It stays valid for 30 days.
    next_cursor: str


class ExchangeRequestBody(TypedDict):
    """A body as evidence shows it."""

    # The beginning, with secrets masked.
    text: NotRequired[str]
    # All bytes, or as many as were read.
    size: int
    # true: text is not the complete body.
    cut: NotRequired[bool]
    # The relevant part of the body, as indented JSON.
    excerpt: NotRequired[str]
    # A JSON pointer to the relevant value in the excerpt.
    place: NotRequired[str]


class ExchangeRequest(TypedDict):
    """What was sent."""

    # The HTTP method.
    method: str
    # The complete address.
    url: str
    # By name: the values, with secrets masked.
    header: dict[str, list[str]] | None
    # A body as evidence shows it.
    body: ExchangeRequestBody


class ExchangeResponseBody(TypedDict):
    """A body as evidence shows it."""

    # The beginning, with secrets masked.
    text: NotRequired[str]
    # All bytes, or as many as were read.
    size: int
    # true: text is not the complete body.
    cut: NotRequired[bool]
    # The relevant part of the body, as indented JSON.
    excerpt: NotRequired[str]
    # A JSON pointer to the relevant value in the excerpt.
    place: NotRequired[str]


class ExchangeResponse(TypedDict):
    """The answer; absent if there was none."""

    # The HTTP status.
    status: int
    # The protocol, such as HTTP/1.1.
    proto: str
    # By name: the values, with secrets masked.
    header: dict[str, list[str]] | None
    # A body as evidence shows it.
    body: ExchangeResponseBody


class ExchangeFailure(TypedDict):
    """Why there was no complete answer; absent if there was one."""

    # What failed, such as timeout or refused.
    kind: str
    # The failure in words.
    message: str


class Exchange(TypedDict):
    """A call to a partner and its answer, without keys and guests' data, as in a conformance report."""

    # In the order of sending, from 1.
    number: int
    # The endpoint that was called.
    endpoint: str
    # What the call was for.
    purpose: str
    # When the call began.
    started_at: str
    # Nanoseconds until the last byte of the answer, or until the caller gave up.
    duration_ns: int
    # The contract's limit in nanoseconds (LIM-1); 0: none.
    limit_ns: int
    # What was sent.
    request: ExchangeRequest
    # The answer; absent if there was none.
    response: NotRequired[ExchangeResponse]
    # Why there was no complete answer; absent if there was one.
    failure: NotRequired[ExchangeFailure]
    # The command that repeats the request; empty for recorded calls.
    curl: str
    # Whether the request is one that the marketplace never sends.
    bad_input: NotRequired[bool]


class GoLiveRequestSettings(TypedDict):
    """The settings that the operator looked at. If the integration has others by now, the answer is a 409. Without it, those in force."""

    # The address of the partner's endpoints: http or https, optionally with a path, without user information, query
    # or fragment (AUTH-4).
    base_url: str
    # How the marketplace sends its key: bearer sends Bearer and the key, api_key the key alone (AUTH-1).
    auth_type: Literal['bearer', 'api_key']
    # True when the partner delivers its own tickets and so answers every confirm with them (CNF-6).
    handles_ticket_delivery: bool


class GoLiveRequest(TypedDict):
    """The decision about a request to go live."""

    # false declines.
    approve: bool
    # For the partner.
    reason: NotRequired[str | None]
    # The settings that the operator looked at. If the integration has others by now, the answer is a 409. Without
    # it, those in force.
    settings: NotRequired[GoLiveRequestSettings | None]


class HealthChangesItem(TypedDict):
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str
    # The new state.
    state: Literal['HEALTHY', 'DEGRADED']
    # The result of the call that changed it.
    reason: str


class Health(TypedDict):
    """A partner's health, from the results of calls to it."""

    # DEGRADED: three calls in a row have failed. Reserve and confirm then get more time (LIM-1). Two successful
    # calls in a row make it HEALTHY again.
    state: Literal['HEALTHY', 'DEGRADED']
    # The total number of failed calls.
    failure_count: int
    # Consecutive failures of the platform: no answer, a late or invalid answer, 401, 403, 429 or 5xx. At 3 the
    # partner is DEGRADED.
    consecutive_failures: int
    # When a call last succeeded, accurate to about a minute; null if none has.
    last_ok_at: str | None
    # The last changes of the state, the newest first.
    changes: list[HealthChangesItem]


class IntegrationClientCertificate(TypedDict):
    """The certificate with which the marketplace identifies itself to the partner; null without one. The private key is never shown."""

    # The SHA-256 of the certificate, in hexadecimal digits.
    fingerprint: str
    # Until when it is valid.
    expires_at: str


class IntegrationSyncing(TypedDict):
    """The sync that runs now; null if none runs. Its result becomes last_sync, or a failed entry of the list of syncs."""

    # full: the complete catalog; missing products are deactivated. incremental: changes since the last pull;
    # nothing is deactivated.
    mode: Literal['full', 'incremental']
    # What started it: the partner's webhook, an operator, the schedule, or a notification of an unknown slot.
    cause: Literal['trigger', 'operator', 'schedule', 'notify']
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    started_at: str


class IntegrationCallsItem(TypedDict):
    # Its beginning, in UTC.
    hour: str
    # Calls that succeeded.
    ok: int
    # Calls that were refused as the contract allows, such as a reserve of a slot that has sold out.
    refused: int
    # All other calls: error answers, invalid answers, and no answer in time.
    failed: int


class IntegrationCertificationEnded(TypedDict):
    """When and why the last certificate ended; null while it is valid, and without one."""

    # breach: a later run found one. expired: its time has passed. settings_changed: base_url, auth_type or
    # handles_ticket_delivery is not the one that was tested.
    reason: Literal['breach', 'expired', 'settings_changed']
    # When it ended; null if a setting changed at a time that is not recorded.
    at: str | None
    # The run that found the breach; null for other reasons.
    run_id: str | None


class IntegrationCertification(TypedDict):
    """Whether the partner was found conformant; null if the marketplace does not show it."""

    # none: no full run has reached a verdict. certified. failed: the last full run found a breach. expired: there
    # was a certificate; ended says why it is no longer valid.
    state: Literal['none', 'certified', 'failed', 'expired']
    # The run that the state rests on; null without one.
    run_id: str | None
    # The version of the contract that it tested.
    contract_version: str | None
    # The version of the suite.
    suite_version: str | None
    # Until when the certificate is valid; null without one.
    valid_until: str | None
    # The marketplace requires a certificate, so the activities are not listed until there is a valid one.
    withheld: bool
    # When and why the last certificate ended; null while it is valid, and without one.
    ended: IntegrationCertificationEnded | None


class IntegrationBreachesItem(TypedDict):
    # The last time.
    at: str
    # The first time. A rule that was not broken for a day starts again.
    since: str
    # How often since then.
    count: int
    # Of the booking; the partner knows it as resellerReference. Empty if the breach is not about one booking.
    booking_id: str
    # Whose answer shows it.
    endpoint: Literal['products', 'availability', 'reserve', 'confirm', 'release', 'cancel']
    # The id of the broken rule; empty for an answer that was used.
    rule: str
    # The rule, as a sentence.
    title: str
    # The clauses of the partner contract that the rule is about.
    clause: str
    # MUST or SHOULD.
    level: Literal['MUST', 'SHOULD']
    # What the partner can do.
    fix: str
    # The calls of the last time and their answers, without keys and guests' data, as in a conformance report. Empty
    # in lists.
    exchanges: list[Exchange]
    # What is wrong with the answer, with its place.
    message: str


class Integration(TypedDict):
    """A partner's integration. It never shows the key or the webhook secret."""

    # Issued at registration; part of the webhooks' paths.
    integration_id: str
    # The partner's name, for people.
    name: str
    # live, or test: only requests in test mode see and book its activities.
    mode: Literal['live', 'test']
    # The address of the partner's endpoints: http or https, optionally with a path, without user information, query
    # or fragment (AUTH-4).
    base_url: str
    # How the marketplace sends its key: bearer sends Bearer and the key, api_key the key alone (AUTH-1).
    auth_type: Literal['bearer', 'api_key']
    # The certificate with which the marketplace identifies itself to the partner; null without one. The private key
    # is never shown.
    client_certificate: IntegrationClientCertificate | None
    # True when the partner delivers its own tickets and so answers every confirm with them (CNF-6).
    handles_ticket_delivery: bool
    # The partner has joined the public registry, which shows the integration while it has a valid certificate.
    in_registry: bool
    # Until when the webhook secret before the last rotation is still accepted; null if only the last one is.
    previous_webhook_secret_until: str | None
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # When the last stored catalog was requested; null before the first. Incremental syncs send it as updated_since
    # (PRD-14).
    last_sync_at: str | None
    health: Health
    # The result of the last sync; null before the first.
    last_sync: Union[Sync, None]
    # The sync that runs now; null if none runs. Its result becomes last_sync, or a failed entry of the list of
    # syncs.
    syncing: IntegrationSyncing | None
    # The last full sync is held until an operator approves it or a second identical catalog arrives.
    awaits_approval: bool
    slots: Slots
    # Calls to the partner in the last 24 hours, by hour, oldest first. Hours without calls are left out.
    calls: list[IntegrationCallsItem]
    admission: Admission
    # Whether the partner was found conformant; null if the marketplace does not show it.
    certification: IntegrationCertification | None
    # How the partner breaches the contract, newest first: rules that its answers break, as judged from the calls to
    # it, and answers about bookings that were used although they broke the contract.
    breaches: list[IntegrationBreachesItem]


class IntegrationAnswer(TypedDict):
    """One integration."""

    # 1 in every successful answer.
    success: Literal[1]
    data: Integration


class IntegrationBookingsAnswerDataItemUnitsItem(TypedDict):
    # The partner's id of the unit.
    unit_id: str
    # How many guests.
    quantity: int


class IntegrationBookingsAnswerDataItem(TypedDict):
    # The marketplace's id; resellerReference in its calls.
    booking_id: str
    # The status. Operators also see checkouts without a booking: RESERVING, REFUSED, LOST.
    status: Literal['HELD', 'PAID', 'CONFIRMED', 'RELEASED', 'CANCELLED', 'RESERVING', 'REFUSED', 'LOST']
    # Why the hold was released.
    release_reason: Literal['abandoned', 'payment_failed', 'expired', 'unwanted', 'withdrawn', None]
    # The partner's id of the product.
    product_id: str
    # The partner's id of the option.
    option_id: str
    # The slot, as the partner called it at checkout.
    availability_id: str
    # When the slot begins, in the product's zone.
    start: str
    # When the slot ends.
    end: str
    units: list[IntegrationBookingsAnswerDataItemUnitsItem]
    # The code of the hold.
    reservation_code: str
    # The partner's, once it has confirmed.
    external_booking_id: str | None
    # When it was created.
    created_at: str
    # When the hold expires.
    expires_at: str | None
    # The progress of the release at the partner; null if none is needed.
    partner_release: Literal['pending', 'done', 'not_supported', 'failed', None]
    # The progress of the cancellation at the partner; null if none is needed.
    partner_cancellation: Literal['pending', 'done', 'not_supported', 'failed', None]


class IntegrationBookingsAnswer(TypedDict):
    """One page of the bookings at the partner, newest first, without guests, resellers and prices."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[IntegrationBookingsAnswerDataItem]
    pagination: Pagination


class IntegrationsAnswer(TypedDict):
    """One page of the integrations that the caller sees: a partner its own, an operator all."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[Integration]
    pagination: Pagination


class Invitation(TypedDict):
    """An address whose owner may create a partner's account with a link. It never shows the link."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    invitation_id: str
    email: str
    name: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # Until when the link works.
    expires_at: str


class InvitationAnswer(TypedDict):
    """The invitation with its link."""

    # 1 in every successful answer.
    success: Literal[1]
    data: Invitation


class InvitationRequest(TypedDict):
    """A partner to invite."""

    # The address to sign in with. No account has it.
    email: str
    # For people.
    name: NotRequired[str | None]


class InvitationsAnswer(TypedDict):
    """One page of the invitations that are open."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[Invitation]
    pagination: Pagination


class LoginRequest(TypedDict):
    """Who signs in."""

    # The account's address. Case and surrounding spaces do not matter.
    email: str
    password: str


class OperatorActivitiesAnswer(TypedDict):
    """One page of the activities, listed or not."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[OperatorActivity]
    pagination: Pagination


class OperatorActivityActivityType(TypedDict):
    name: str


class OperatorActivityLocationCountry(TypedDict):
    id: str
    name: str


class OperatorActivityLocation(TypedDict):
    country: OperatorActivityLocationCountry
    city: str
    region: str


class OperatorActivityMediaItem(TypedDict):
    imageUrl: str


class OperatorActivityPartnerDetails(TypedDict):
    name: str
    partner_category: str
    # Free-form.
    companyDetails: dict[str, Any]
    profileImage: str


class OperatorActivityExternalSync(TypedDict):
    """The partner's product, as the partner last sent it."""

    external_product_id: str
    internal_name: str
    reference: str
    locale: str
    time_zone: str
    instant_confirmation: bool
    allow_freesale: bool


class OperatorActivity(TypedDict):
    """An activity with the partner's values, the operators' edits, and the partner's own prices."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    # Whose it is.
    integration_id: str
    # live or test, as its integration.
    mode: Literal['live', 'test']
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    created_at: str
    # The partner's name for the product, until an operator sets another.
    activity_title: str
    # Active if both of the following are. Resellers then see it.
    status: Literal['Active', 'Inactive']
    # Active while the partner's catalog has it.
    partner_status: Literal['Active', 'Inactive']
    # The status that operators have set.
    operator_status: Literal['Active', 'Inactive']
    activity_type: OperatorActivityActivityType
    main_promo_title: str
    short_description: str
    description: str
    address: str
    # True when it takes place only once.
    one_time_activity: bool
    # The marketplace's surcharge in percent; null if not set.
    admin_price_percentage: float | None
    # The marketplace's discount in percent; null if not set.
    admin_discount_percentage: float | None
    location: OperatorActivityLocation
    categories: list[str]
    tags: list[str]
    media: list[OperatorActivityMediaItem]
    partner_details: OperatorActivityPartnerDetails
    # Fields of the activity in other languages, by language code: titles, texts, activity_type, location,
    # categories, tags, media, partner_details, and variations by _id.
    translation: dict[str, dict[str, Any]]
    # The currency of the partner's first price.
    currency: str
    # The partner's product, as the partner last sent it.
    external_sync: OperatorActivityExternalSync
    # All of them, by their sort.
    variations: list[OperatorVariation]


class OperatorActivityAnswer(TypedDict):
    """One activity."""

    # 1 in every successful answer.
    success: Literal[1]
    data: OperatorActivity


class OperatorVariationRestrictions(TypedDict):
    """The parties that the partner takes. A booking of another number of guests, infants included, is refused with 400."""

    # The fewest guests in one booking; null if the partner names no limit.
    min_units: int | None
    # The most guests in one booking; null if the partner names no limit.
    max_units: int | None


class OperatorVariationPricingUnitsItemPricesItem(TypedDict):
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    original: float
    retail: float | None
    net: float | None


class OperatorVariationPricingUnitsItem(TypedDict):
    external_unit_id: str
    type: str
    label: str
    # The partner's, in the major unit.
    prices: list[OperatorVariationPricingUnitsItemPricesItem]


class OperatorVariationPricing(TypedDict):
    """The price before the marketplace's percentages and fees: an operator's group price, or the partner's prices."""

    # In the major unit; null if each guest pays.
    group_price: float | None
    # The currency of the group price; null without one.
    currency: str | None
    units: list[OperatorVariationPricingUnitsItem]


class OperatorVariationExternalSync(TypedDict):
    """The partner's option, as the partner last sent it."""

    external_option_id: str
    internal_name: str


class OperatorVariationDuration(TypedDict):
    """How long it takes: days plus hours. Both are 0 if it is not given."""

    hours: float
    days: float


class OperatorVariationItineraryItem(TypedDict):
    title: str
    description: str


class OperatorVariationIncludes(TypedDict):
    """What the price includes and excludes."""

    transportation_methods: list[str]
    food: list[str]
    drinks: list[str]
    including: list[str]
    excluding: list[str]


class OperatorVariationMedia(TypedDict):
    imageUrl: str


class OperatorVariationTourGuidesItem(TypedDict):
    tour_guide_id: str
    name: str


class OperatorVariationPickupPickUpAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: str
    # Degrees north.
    lat: float
    # Degrees east.
    lng: float


class OperatorVariationPickupDropOffAddress(TypedDict):
    """An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is given."""

    address: str
    # Degrees north.
    lat: float
    # Degrees east.
    lng: float


class OperatorVariationPickup(TypedDict):
    """Where guests are picked up and dropped off."""

    type: str
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    pick_up_address: OperatorVariationPickupPickUpAddress
    # An address and its coordinates in degrees (WGS 84). Latitude 0 with longitude 0 means that no position is
    # given.
    drop_off_address: OperatorVariationPickupDropOffAddress


class OperatorVariation(TypedDict):
    """A variation with the partner's values and the operators' edits."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    # The partner's name for the option, until an operator sets another.
    title: str
    # The position among the variations, lowest first.
    sort: float
    # Active while the product has it.
    status: Literal['Active', 'Inactive']
    # START_TIME: guests come at a fixed start. OPENING_HOURS: they come at any time within a window.
    availability_type: Literal['START_TIME', 'OPENING_HOURS']
    # The largest known capacity of its slots, in seats.
    capacity: float
    # For people to read.
    cancellation_policy: str
    # The parties that the partner takes. A booking of another number of guests, infants included, is refused with
    # 400.
    restrictions: OperatorVariationRestrictions
    # The price before the marketplace's percentages and fees: an operator's group price, or the partner's prices.
    pricing: OperatorVariationPricing
    # The partner's option, as the partner last sent it.
    external_sync: OperatorVariationExternalSync
    # The languages in which it is offered.
    language: list[str]
    description: str
    # The maximum number of guests in one booking; 0 means no limit.
    max_no_booking: float
    # How long it takes: days plus hours. Both are 0 if it is not given.
    duration: OperatorVariationDuration
    # What happens, step by step.
    itinerary: list[OperatorVariationItineraryItem]
    # What the price includes and excludes.
    includes: OperatorVariationIncludes
    # The booking deadline, as text for people.
    cut_off_time: str
    media: OperatorVariationMedia
    tourGuides: list[OperatorVariationTourGuidesItem]
    # Where guests are picked up and dropped off.
    pickup: OperatorVariationPickup
    notes: str


class OverviewAnswerDataAttentionCausesItem(TypedDict):
    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    integration_id: str
    integration_name: str
    # Why they need attention.
    reason: Literal['confirm_refused', 'confirm_unknown', 'late_payment', 'duplicate_payment', 'duplicate_booking_id', 'reserve_unknown', 'release_failed', 'cancel_failed', 'reschedule_unknown']
    # The most frequent message, such as the partner's; empty without one.
    message: str
    # How many.
    bookings: int
    # Since when the oldest has waited.
    since: str
    # The first slot that has not begun; null if all have.
    first_start: str | None
    # The sum of their totals, by currency.
    totals: dict[str, float]


class OverviewAnswerDataIntegrationsNeedingAttentionItem(TypedDict):
    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    integration_id: str
    name: str
    # DEGRADED: three calls in a row have failed. Reserve and confirm then get more time (LIM-1). Two successful
    # calls in a row make it HEALTHY again.
    health: Literal['HEALTHY', 'DEGRADED']
    # Null where it has never changed.
    health_since: str | None
    # When the stored catalog was pulled; null before the first pull.
    last_sync_at: str | None
    # The last sync is held because it would remove too many activities.
    awaits_approval: bool
    # When the oldest slots were pulled; null without options.
    slots_since: str | None
    # That is more than 26 hours ago.
    slots_late: bool
    # How many products the last full sync could not use.
    products_set_aside: int
    # The last full sync found no product that can be sold.
    nothing_to_sell: bool
    # When the certificate ends within seven days, or has ended; null otherwise, and where certificates are not
    # shown.
    certificate_until: str | None
    # Since when the partner waits for the approval to go live; null if it does not.
    go_live_requested_at: str | None
    # What a change of base_url, auth_type or handles_ticket_delivery has ended, and no operator has decided since:
    # go_live (the approval), certification (the integration's own policy).
    admission_ended: list[Literal['go_live', 'certification']]
    # Why the certificate has ended: breach (a later run found one), expired (its time has passed) or
    # settings_changed (base_url, auth_type or handles_ticket_delivery is another one); null while it is valid.
    certificate_ended: Literal['breach', 'expired', 'settings_changed', None]


class OverviewAnswerDataOldestSync(TypedDict):
    """The integration whose last successful sync, including skipped ones, is the oldest; null if none was synced."""

    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    integration_id: str
    name: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str


class OverviewAnswerDataOldestSlots(TypedDict):
    """The integration whose slots were completely loaded longest ago; null if none were loaded."""

    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    integration_id: str
    name: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str


class OverviewAnswerDataNightLast(TypedDict):
    """The partner that ends last, and when, if each takes as long as it took last; null if none is pulled."""

    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    integration_id: str
    name: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str


class OverviewAnswerDataNight(TypedDict):
    """The last nightly sync of all partners, in both modes, with all their slots; null if there was none."""

    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    began_at: str
    # Null while some partners are still pulled.
    ended_at: str | None
    partners: int
    # All their slots have been pulled.
    done: int
    # Some of their slots could not be pulled, and are not tried again.
    failed: int
    # The partner that ends last, and when, if each takes as long as it took last; null if none is pulled.
    last: OverviewAnswerDataNightLast | None


class OverviewAnswerDataRecentItem(TypedDict):
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str
    # What happened.
    kind: Literal['health_changed', 'sync_failed', 'sync_held', 'attention_needed', 'attention_resolved', 'run_ended']
    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    integration_id: str
    integration_name: str
    # The booking that needed attention; null for other events.
    booking_id: str | None
    # The conformance run that ended; null for other events.
    run_id: str | None
    # The new state of health, why the sync failed, how much the guard holds, why the booking needed attention, or
    # the verdict of the run.
    says: str


class OverviewAnswerDataJudgingPausedItem(TypedDict):
    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    integration_id: str
    name: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    since: str
    # When its calls are judged again.
    until: str


class OverviewAnswerDataRatesMissingItem(TypedDict):
    # Of the prices.
    currency: str
    # Of the exchange rates: one for this pair is missing.
    base: str
    # How many activities have such a price.
    activities: int


class OverviewAnswerDataRatesKeptItem(TypedDict):
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    # The date of the rate.
    as_of: str
    # After this, nothing is sold in the currency.
    sold_until: str


class OverviewAnswerDataDaysItem(TypedDict):
    # In UTC.
    day: str
    # How many the partners held.
    bookings: int
    # How many of them are CONFIRMED.
    confirmed: int
    # How many of them are CANCELLED.
    cancelled: int
    # The total of the CONFIRMED bookings, by ISO 4217 currency.
    revenue: dict[str, float]


class OverviewAnswerDataPartnersItem(TypedDict):
    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    integration_id: str
    name: str
    # How many the partner held.
    bookings: int
    # How many of them are CONFIRMED.
    confirmed: int
    # How many of them are CANCELLED.
    cancelled: int
    # The total of the CONFIRMED bookings, by ISO 4217 currency.
    revenue: dict[str, float]
    # Confirm calls that were answered with 2xx.
    confirms_answered: int
    # Confirm calls that were answered with 4xx.
    confirms_refused: int
    # Confirm calls with another answer, or with none.
    confirms_failed: int
    # The median duration of the answered confirm calls, in milliseconds, of the last day that has any; null without
    # such a day.
    confirm_median_ms: int | None


class OverviewAnswerData(TypedDict):
    # How many bookings GET /operator/bookings lists with attention=true.
    bookings_needing_attention: int
    # Since when the oldest has waited; null if none waits.
    bookings_needing_attention_since: str | None
    # Why live bookings need attention, by partner and reason: at most twenty, those first whose guests depart next.
    attention_causes: list[OverviewAnswerDataAttentionCausesItem]
    # How many there are.
    integrations: int
    # Integrations that are DEGRADED, have never been synced, wait for the approval of a sync or to go live, have
    # late slots, whose certificate ends, or whose approval or own policy a change of settings ended: at most a
    # hundred.
    integrations_needing_attention: list[OverviewAnswerDataIntegrationsNeedingAttentionItem]
    # The integration whose last successful sync, including skipped ones, is the oldest; null if none was synced.
    oldest_sync: OverviewAnswerDataOldestSync | None
    # The integration whose slots were completely loaded longest ago; null if none were loaded.
    oldest_slots: OverviewAnswerDataOldestSlots | None
    # The last nightly sync of all partners, in both modes, with all their slots; null if there was none.
    night: OverviewAnswerDataNight | None
    # The last events of live integrations and their bookings, newest first: at most twelve.
    recent: list[OverviewAnswerDataRecentItem]
    # Integrations whose calls are not judged at present, because the judge of calls to partners stopped while it
    # judged them: at most a hundred.
    judging_paused: list[OverviewAnswerDataJudgingPausedItem]
    # Currencies of partners' prices that have no exchange rate. Such prices are omitted from answers in other
    # currencies.
    rates_missing: list[OverviewAnswerDataRatesMissingItem]
    # The date of the newest file of exchange rates; null if none was imported.
    rates_as_of: str | None
    # That date is longer ago than the service's `--rates-max-age`.
    rates_old: bool
    # Currencies that the newest file lacks. Their rates keep their dates.
    rates_kept: list[OverviewAnswerDataRatesKeptItem]
    # Why the last published file was refused; empty if it was not.
    rates_refused: str
    # The last 14 days, the oldest first. Each counts the live bookings that were made on it, by their present
    # states. The counts are at most a minute old for the last two days, and an hour for the others.
    days: list[OverviewAnswerDataDaysItem]
    # The partners with live bookings in these days, the most first, 25 at most, with the confirm calls for these
    # bookings.
    partners: list[OverviewAnswerDataPartnersItem]


class OverviewAnswer(TypedDict):
    """What needs attention."""

    # 1 in every successful answer.
    success: Literal[1]
    data: OverviewAnswerData


class Pagination(TypedDict):
    """The part of a list that the answer contains."""

    # The maximum number of entries on a page.
    pageSize: int
    # The page, counted from 1. Absent if the request has a `cursor`.
    page: NotRequired[int]
    # The number of entries on all pages. Absent if the request has a `cursor`.
    totalCount: NotRequired[int]
    # True if there are more entries than `totalCount`, which stops at 10,000; otherwise absent.
    totalCountCapped: NotRequired[bool]
    # The `cursor` of the next page; null on the last page. Its format may change: send it back unchanged.
    next_cursor: str | None


class PartnerEventsAnswerDataEventsItemData(TypedDict):
    """What is known of it."""

    # certificate.issued: the run that earned it. certificate.ended: the run that found the breach or issued the
    # expired certificate.
    run_id: NotRequired[str]
    # certificate.issued: its last moment.
    valid_until: NotRequired[str]
    # certificate.ended: breach, expired or settings_changed. certification.ended (the integration's own policy) and
    # go_live.ended: settings_changed. Other go_live: what the operator wrote.
    reason: NotRequired[str]
    # settings_changed: the settings that changed.
    settings: NotRequired[list[Literal['base_url', 'auth_type', 'handles_ticket_delivery']]]


class PartnerEventsAnswerDataEventsItem(TypedDict):
    # Increases with each event.
    id: int
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str
    # What happened.
    type: Literal['certificate.issued', 'certificate.ended', 'certification.ended', 'go_live.approved', 'go_live.declined', 'go_live.ended']
    # What is known of it.
    data: PartnerEventsAnswerDataEventsItemData


class PartnerEventsAnswerData(TypedDict):
    # Oldest first; with newest=true newest first.
    events: list[PartnerEventsAnswerDataEventsItem]
    # For after. It stays the same while there is no news.
    next_cursor: str


class PartnerEventsAnswer(TypedDict):
    """News for the integration's partner."""

    # 1 in every successful answer.
    success: Literal[1]
    data: PartnerEventsAnswerData


class PaymentRequest(TypedDict):
    """The payment provider's result."""

    # Whether the customer has paid.
    outcome: Literal['succeeded', 'failed']
    # The provider's reference for the payment, printable ASCII. Reporting it twice has no further effect.
    reference: str


class PricePreviewAnswerDataVariationsItemPricesItem(TypedDict):
    # The partner's unit; null for a group.
    unit_id: str | None
    # The type of guest; null for a group.
    type: str | None
    # The partner's name for the unit; empty for a group.
    label: str
    # Whether it is a price before and after the change (kept), only after it (added), or only before it (removed).
    change: Literal['kept', 'added', 'removed']
    # Before percentages and fees: the partner's price, or an operator's group price. Of a group price that is kept,
    # the present one.
    base_price: float
    # The currency of that price.
    base_currency: str
    # What the customer pays now; null if an exchange rate is missing, or if the price is added.
    price: float | None
    # What the customer would pay; null if an exchange rate is missing, or if the price is removed.
    changed_price: float | None


class PricePreviewAnswerDataVariationsItem(TypedDict):
    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    _id: str
    title: str
    # One for each unit, or one for a group. A change from one to the other lists both.
    prices: list[PricePreviewAnswerDataVariationsItemPricesItem]


class PricePreviewAnswerData(TypedDict):
    # The currency of the prices that customers pay.
    currency: str
    # The service fee in this currency. It is part of every price.
    service_fee: float
    # The commission, which is part of every price, in percent.
    commission_percentage: float
    # The variations that the partner's product has.
    variations: list[PricePreviewAnswerDataVariationsItem]


class PricePreviewAnswer(TypedDict):
    """What customers pay for an activity, and what they would pay after a change."""

    # 1 in every successful answer.
    success: Literal[1]
    data: PricePreviewAnswerData


class PricingAnswerData(TypedDict):
    # In the major unit of its currency.
    service_fee: float
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    service_fee_currency: str
    # Percent of the price.
    commission_percentage: float


class PricingAnswer(TypedDict):
    """The fees on every price."""

    # 1 in every successful answer.
    success: Literal[1]
    data: PricingAnswerData


class PricingRequest(TypedDict):
    """Changes of the fees on every price. Absent or null fields do not change."""

    # For each unit, or for each booking with a group price, in the major unit of its currency. A number without an
    # exponent, or a text of one.
    service_fee: NotRequired[Union[float, str, None]]
    # One that there is an exchange rate for.
    service_fee_currency: NotRequired[str | None]
    # Percent of the price. A number without an exponent, or a text of one.
    commission_percentage: NotRequired[Union[float, str, None]]


class PricingUnit(TypedDict):
    """What one guest of a unit pays. Prices are in the major unit of the activity's currency, fees and commission included."""

    # The partner's unit. Book by it if several units have the same type.
    unit_id: str
    # The guest type, such as ADULT.
    type: str
    # The label that guests see.
    label: str
    # The minimum age in years, inclusive; null if not given.
    min_age: int | None
    # The maximum age in years, inclusive; null if not given.
    max_age: int | None
    # The price for one guest, in the major unit of the currency.
    price: float


class PublicVariationPricing(TypedDict):
    """The price of a variation, for each guest or group, in the major unit of the activity's currency."""

    # The price of a complete group, in the major unit; null if each guest pays. If set, the units of a slot's
    # pricing are empty.
    group_price: float | None
    # The current discount in percent; 0 if there is no discount.
    discount_percentage: float
    # The price of each guest type, in the partner's order.
    units: list[PricingUnit]


class RatesAnswerDataCurrenciesItem(TypedDict):
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    # The value of one unit of the base, as a decimal text.
    rate: str
    # The date of its file, or on which an operator set it.
    as_of: str
    # The rate that it replaced, as a decimal text; null for the first one.
    previous_rate: str | None
    # After this, nothing is sold in the currency, because the newest file lacks it; null for the others.
    sold_until: str | None


class RatesAnswerDataMissingItem(TypedDict):
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    # Of the rates.
    base: str
    # How many activities have such a price.
    activities: int


class RatesAnswerData(TypedDict):
    # The base currency of the rates.
    base: str
    # The date of the newest file; null if none was imported for this base.
    as_of: str | None
    # By currency code: the value of one unit of the base, as a decimal text.
    rates: dict[str, str]
    # The same rates with their dates, by currency code.
    currencies: list[RatesAnswerDataCurrenciesItem]
    # Currencies of partners' prices in which nothing is sold, because they have no rate or an old one that the
    # newest file lacks.
    missing: list[RatesAnswerDataMissingItem]


class RatesAnswer(TypedDict):
    """The table in force."""

    # 1 in every successful answer.
    success: Literal[1]
    data: RatesAnswerData


class RatesImportRequest(TypedDict):
    """A file of exchange rates."""

    # The content of the European Central Bank's daily file, eurofxref-daily.xml.
    file: str
    # Import a file that is likely to be wrong. Of two rates of a currency the last one counts, and the base's is
    # ignored.
    force: NotRequired[bool]


class RatesRequest(TypedDict):
    """Exchange rates to set. Other rates do not change, unless the base changes: then all are replaced."""

    # The base currency of the rates.
    base: str
    # By currency code: the value of one unit of the base, as a decimal text above 0; null removes the rate.
    rates: dict[str, str | None]
    # Refuse rates that are more than twice or less than half of those in force, with status 400.
    check: NotRequired[bool]


class RefreshRequest(TypedDict):
    """The refresh token of a session."""

    refresh_token: str


class RegistrationAnswerData(TypedDict):
    # Part of the webhooks' paths.
    integration_id: str
    # live or test, as registered.
    mode: Literal['live', 'test']
    # What the partner sends in x-webhook-secret. It is shown only once.
    webhook_secret: str
    # After a rotation: until when the previous secret is still accepted; null after a registration.
    previous_webhook_secret_until: str | None


class RegistrationAnswer(TypedDict):
    """The answer to a registration, and to a rotation of the webhook secret. No other answer ever shows the secret."""

    # 1 in every successful answer.
    success: Literal[1]
    data: RegistrationAnswerData


class RegistrationRequest(TypedDict):
    """What the marketplace needs to call a partner."""

    # The partner's name, for people.
    name: str
    # test for a partner's test platform: only requests in test mode see and book its activities. It cannot be
    # changed.
    mode: NotRequired[Literal['live', 'test', None]]
    # The address of the partner's endpoints: http or https, optionally with a path, without user information, query
    # or fragment (AUTH-4).
    base_url: str
    # How the marketplace sends its key: bearer sends Bearer and the key, api_key the key alone (AUTH-1).
    auth_type: NotRequired[Literal['bearer', 'api_key', None]]
    # The key that the marketplace sends to the partner in a header: printable ASCII without leading or trailing
    # spaces.
    auth_key: str
    # A client certificate in PEM, with its intermediate certificates, if the partner requires one (mutual TLS). It
    # needs client_key.
    client_certificate: NotRequired[str | None]
    # The private key of client_certificate, in PEM, without a password.
    client_key: NotRequired[str | None]
    # True when the partner delivers its own tickets and so answers every confirm with them (CNF-6).
    handles_ticket_delivery: NotRequired[bool | None]


class RegistryAnswerDataItem(TypedDict):
    # The `sub` of the signed statement.
    integration_id: str
    # The partner's name, as the certificate states it. Another partner may have the same.
    name: str
    # The address that was tested.
    base_url: str
    # Of the partner contract.
    contract_version: str
    # When the certificate was issued.
    certified_since: str
    # When it expires.
    valid_until: str
    # The address of the partner's badge, an image.
    badge_url: str
    # The signed statement, a compact JWS.
    certificate: str


class RegistryAnswer(TypedDict):
    """One page of the certified partners in the public registry, by name."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[RegistryAnswerDataItem]
    pagination: Pagination


class RescheduleRequest(TypedDict):
    """Another slot for the guests of a confirmed booking."""

    # The new slot, of the booking's variation.
    availability_id: str
    # The provider's reference for the customer's payment of the difference, printable ASCII. Required if the slot
    # costs more than the booking.
    reference: NotRequired[str]


class ResellerErrorPaymentDue(TypedDict):
    """What the new slot of a reschedule costs more than the booking, in the 409 `payment_required`."""

    # The difference.
    amount: float
    # The booking's currency.
    currency: str


class ResellerError(TypedDict):
    """The body of every error of the marketplace."""

    # 0 in every error.
    success: Literal[0]
    # What is wrong, one entry for each cause.
    error: list[str]
    # What is wrong, in one line.
    message: str
    # The HTTP status.
    code: int
    # A stable code for programs. Codes are never renamed; new ones may be added. The table in the marketplace's
    # OpenAPI document says what each means and whether to retry.
    error_code: Literal['invalid_request', 'no_exchange_rate', 'unauthorized', 'forbidden', 'not_found', 'method_not_allowed', 'conflict', 'already_exists', 'booking_state', 'confirmation_in_flight', 'hold_expired', 'idempotency_key_in_flight', 'slot_sold_out', 'reserve_refused', 'slot_started', 'same_slot', 'payment_required', 'reschedule_in_flight', 'cursor_expired', 'body_too_large', 'unsupported_media_type', 'idempotency_key_reused', 'connection_test_failed', 'key_required', 'rate_limited', 'internal_error', 'partner_error', 'service_unavailable', 'partner_timeout']
    # The conformance run that is under way, in the 409 to a request for another one.
    run_id: NotRequired[str]
    # What the new slot of a reschedule costs more than the booking, in the 409 `payment_required`.
    payment_due: NotRequired[ResellerErrorPaymentDue]
    # false in a 5xx that a retry cannot change. Any other 5xx has Retry-After.
    retry: NotRequired[Literal[False]]


class ResellerSlot(TypedDict):
    """A start, or an opening window, of a variation as resellers read it."""

    # An opaque identifier or code. It may hold any character but NUL (RSV-6). It has 1 to 1,000 bytes of UTF-8
    # (GEN-10).
    availability_id: str
    # In the product's zone.
    start: str
    # In the product's zone; null if the partner has not sent it yet (WHK-2).
    end: str | None
    # LIMITED: few seats left. FREESALE: no limit. SOLD_OUT: shown, but cannot be booked.
    status: Literal['AVAILABLE', 'FREESALE', 'LIMITED', 'SOLD_OUT']
    # Whether it can be booked (AVL-9).
    bookable: bool
    # The seats left; null if unknown or not counted (AVL-14).
    vacancies: int | None
    # The total seats; null if unknown.
    capacity: int | None
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    pricing: PublicVariationPricing


class SlotsSetAsideItemProblemsItem(TypedDict):
    # The place in the partner's answer, a JSON pointer (RFC 6901).
    pointer: str
    # The expected and the received value.
    message: str


class SlotsSetAsideItem(TypedDict):
    # The partner's.
    product_id: str
    # The partner's.
    option_id: str
    # Empty if the slot has no readable one.
    availability_id: str
    # Why something is set aside.
    problems: list[SlotsSetAsideItemProblemsItem]


class Slots(TypedDict):
    """How many options of a partner have loaded slots."""

    # Options that are in the partner's catalog.
    options: int
    # Options whose slots have been pulled.
    pulled: int
    # When the oldest slots were requested; null if none were.
    oldest_pull_at: str | None
    # The first slots of the last pulls that were set aside, and why.
    set_aside: list[SlotsSetAsideItem]


class SlotsAnswer(TypedDict):
    """A variation's slots of one date, in the order of their starts. Closed slots are not shown (AVL-9)."""

    # 1 in every successful answer.
    success: Literal[1]
    # The slots.
    data: list[ResellerSlot]


class StatusAnswerData(TypedDict):
    # alive: the service runs. ready: its database answers too.
    status: Literal['alive', 'ready']


class StatusAnswer(TypedDict):
    """The state of the service."""

    # 1 in every successful answer.
    success: Literal[1]
    data: StatusAnswerData


class SyncSetAsideItemProblemsItem(TypedDict):
    # The place in the partner's answer, a JSON pointer (RFC 6901).
    pointer: str
    # The expected and the received value.
    message: str


class SyncSetAsideItem(TypedDict):
    # Empty if the product has no readable one.
    product_id: str
    # Why something is set aside.
    problems: list[SyncSetAsideItemProblemsItem]


class SyncGuard(TypedDict):
    """Set if the sync would have deactivated more than half of the activities and at least five. It then deactivates none, and waits for a second identical answer or an operator's approval. Otherwise null."""

    would_deactivate: int
    # How many activities are active.
    of: int


class Sync(TypedDict):
    """The result of one sync of a partner's catalog."""

    # full: the complete catalog; missing products are deactivated. incremental: changes since the last pull;
    # nothing is deactivated.
    mode: Literal['full', 'incremental']
    # What started it: the partner's webhook, an operator, the schedule, or a notification of an unknown slot.
    cause: Literal['trigger', 'operator', 'schedule', 'notify']
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    started_at: str
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    finished_at: str
    # Products of the answer that are stored.
    synced: int
    # True if the catalog is identical to that of the previous full sync. Nothing of the catalog is then written.
    skipped: bool
    # True if the partner could not be reached, its answer was not a catalog, or the service stopped during the
    # sync. Nothing is then written.
    failed: bool
    # Why the sync was skipped or failed; otherwise null.
    reason: str | None
    # Activities that are new.
    created: int
    # Activities that were changed.
    updated: int
    # Activities whose product is missing.
    deactivated: int
    # The products that are not stored, and why.
    set_aside: list[SyncSetAsideItem]
    # Set if the sync would have deactivated more than half of the activities and at least five. It then deactivates
    # none, and waits for a second identical answer or an operator's approval. Otherwise null.
    guard: SyncGuard | None


class SyncAnswer(TypedDict):
    """The result."""

    # 1 in every successful answer.
    success: Literal[1]
    data: Sync


class SyncRequest(TypedDict):
    """The kind of sync."""

    # Default: full.
    mode: NotRequired[Literal['full', 'incremental', None]]


class SyncTriggerAnswerData(TypedDict):
    # How many products of the catalog are stored.
    synced: int
    # True if the catalog is identical to the previous one and nothing was written.
    skipped: bool


class SyncTriggerAnswer(TypedDict):
    """The result of a full sync (WHK-1)."""

    # 1 in every successful answer.
    success: Literal[1]
    data: SyncTriggerAnswerData


class SyncsAnswer(TypedDict):
    """One page of the syncs that have stored something, the newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[Sync]
    pagination: Pagination


class TestAnswerDataProductsProblemsItem(TypedDict):
    # The place in the partner's answer, a JSON pointer (RFC 6901).
    pointer: str
    # The expected and the received value.
    message: str


class TestAnswerDataProducts(TypedDict):
    # Method and path below base_url.
    request: str
    # The HTTP status of the answer; null if there was none.
    status: int | None
    # Until the answer was read, or given up.
    duration_ms: int
    # Products, or slots, of the answer that can be used.
    found: int
    # Why the read does not work; null if it does.
    error: str | None
    # What is wrong with the first product, or slot, that cannot be used.
    problems: list[TestAnswerDataProductsProblemsItem]


class TestAnswerDataAvailabilityProblemsItem(TypedDict):
    # The place in the partner's answer, a JSON pointer (RFC 6901).
    pointer: str
    # The expected and the received value.
    message: str


class TestAnswerDataAvailability(TypedDict):
    """Of the first option of the product; null if the first read failed or there was no product."""

    # Method and path below base_url.
    request: str
    # The HTTP status of the answer; null if there was none.
    status: int | None
    # Until the answer was read, or given up.
    duration_ms: int
    # Products, or slots, of the answer that can be used.
    found: int
    # Why the read does not work; null if it does.
    error: str | None
    # What is wrong with the first product, or slot, that cannot be used.
    problems: list[TestAnswerDataAvailabilityProblemsItem]


class TestAnswerData(TypedDict):
    # Both reads were answered with something that can be used.
    works: bool
    products: TestAnswerDataProducts
    # Of the first option of the product; null if the first read failed or there was no product.
    availability: TestAnswerDataAvailability | None


class TestAnswer(TypedDict):
    """What the partner answered to the two reads of a connection test."""

    # 1 in every successful answer.
    success: Literal[1]
    data: TestAnswerData


class TestRequest(TypedDict):
    """The settings to test. Absent or null fields are those that are stored."""

    # The address of the partner's endpoints: http or https, optionally with a path, without user information, query
    # or fragment (AUTH-4).
    base_url: NotRequired[str | None]
    # How the marketplace sends its key: bearer sends Bearer and the key, api_key the key alone (AUTH-1).
    auth_type: NotRequired[Literal['bearer', 'api_key', None]]
    # The key that the marketplace sends to the partner in a header: printable ASCII without leading or trailing
    # spaces. Required if base_url has another scheme, host or port: a stored key is sent only to the origin that it
    # was given for.
    auth_key: NotRequired[str | None]
    # A client certificate in PEM, with its intermediate certificates, if the partner requires one (mutual TLS). It
    # needs client_key. An empty text removes the stored one.
    client_certificate: NotRequired[str | None]
    # The private key of client_certificate, in PEM, without a password.
    client_key: NotRequired[str | None]


class Ticket(TypedDict):
    """What a guest shows at the gate (CNF-6)."""

    # How the ticket is shown, such as DIGITAL or PRINT.
    redemptionMethod: str
    # The forms in which the guest gets the ticket.
    deliveryOptions: list[DeliveryOption]


class TokensAnswerData(TypedDict):
    # A JWT.
    access_token: str
    token_type: Literal['Bearer']
    # How long the access token is valid, in seconds.
    expires_in: int
    # Valid for one use. A second use ends the session.
    refresh_token: str


class TokensAnswer(TypedDict):
    """An access token for the Authorization header, and a refresh token that gets the next one, once."""

    # 1 in every successful answer.
    success: Literal[1]
    data: TokensAnswerData


class UnitPricing(TypedDict):
    """A slot's own price for one unit (AVL-6). The amount is read from original, else from retail, else from price: the first that is there and not null. The guest type is read from unitType, else from type."""

    # The id of a unit of the option (AVL-7).
    unitId: str
    # The guest type, read first.
    unitType: NotRequired[Literal['ADULT', 'CHILD', 'INFANT', 'SENIOR', 'STUDENT', None]]
    # The guest type, read where unitType is absent.
    type: NotRequired[Literal['ADULT', 'CHILD', 'INFANT', 'SENIOR', 'STUDENT', None]]
    # The price, in the smallest unit of the currency, read first. Required where neither retail nor price is given.
    original: NotRequired[int | None]
    # The price, in the smallest unit of the currency, read where original is absent.
    retail: NotRequired[int | None]
    # The price, in the smallest unit of the currency, read where original and retail are absent.
    price: NotRequired[int | None]
    # An ISO 4217 currency code in capitals, such as EUR (PRD-8).
    currency: str
    # The number of decimals of the amounts in the same object. The default is 2 (PRD-9). The maximum for a 64-bit
    # amount is 18.
    currencyPrecision: NotRequired[int | None]


class VariationCalendar(TypedDict):
    """The calendar of one of an activity's variations."""

    # An identifier that the marketplace has issued, a UUID. A request with one of another form is answered like one
    # with an unknown identifier.
    variation_id: str
    # One row for each requested date, in order.
    days: list[CalendarDay]


class WebhookDeliveriesAnswerDataItem(TypedDict):
    # ISO 8601 in the extended form with a UTC offset, which may be Z. Seconds and their fraction may be left out
    # (GEN-5). Its year is from 2000 to 2200 (GEN-10).
    at: str
    # Which was sent.
    webhook: Literal['sync_trigger', 'availability_notify']
    # The HTTP status that it was answered with.
    status: int
    # How long it took.
    duration_ms: int
    # Why it was refused; null if it was not.
    reason: str | None


class WebhookDeliveriesAnswer(TypedDict):
    """One page of the last webhooks that the partner has sent, newest first."""

    # 1 in every successful answer.
    success: Literal[1]
    data: list[WebhookDeliveriesAnswerDataItem]
    pagination: Pagination


BookingHistoryItem = TypedDict(
    'BookingHistoryItem',
    {
        'at': 'str',
        'kind': "Literal['move', 'call']",
        'from': 'NotRequired[str | None]',
        'to': 'NotRequired[str | None]',
        'why': 'NotRequired[str | None]',
        'endpoint': 'NotRequired[str | None]',
        'status': 'NotRequired[int | None]',
        'duration_ms': 'NotRequired[int | None]',
        'error': 'NotRequired[str | None]',
    },
)
