package schemas

// ZonesFile is the file with the names of the time zones.
var ZonesFile = zonesFile
