/// The owner of the zones of the container's user.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// The older name of ``CKCurrentUserDefaultName``.
public let CKOwnerDefaultName = CKCurrentUserDefaultName

/// The name of the default zone.
public let CKRecordZoneDefaultName = "_defaultZone"

/// The type of users' own records.
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord

/// The type of shares.
public let CKRecordTypeShare = CKRecord.SystemType.share

/// The name of the record that shares a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"

/// The key of a record's parent.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent

/// The key of a record's share.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share

/// The key of a record's ID.
public let CKRecordRecordIDKey = CKRecord.SystemFieldKey.recordID

/// The key of the date of a record's first save.
public let CKRecordCreationDateKey = CKRecord.SystemFieldKey.creationDate

/// The key of the date of a record's last save.
public let CKRecordModificationDateKey = CKRecord.SystemFieldKey.modificationDate

/// The key of the user who saved a record first.
public let CKRecordCreatorUserRecordIDKey = CKRecord.SystemFieldKey.creatorUserRecordID

/// The key of the user who saved a record last.
public let CKRecordLastModifiedUserRecordIDKey = CKRecord.SystemFieldKey.lastModifiedUserRecordID
