package storefront

// Show exports show for the model of the list.
var Show = show
