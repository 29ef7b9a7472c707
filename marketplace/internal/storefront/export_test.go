package storefront

// Show is show, for a model of the list to compare with.
var Show = show
