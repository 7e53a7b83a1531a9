/// CloudKit's names on platforms that have no CloudKit, over Cabinet.
@_exported public import CabinetCloudKit
