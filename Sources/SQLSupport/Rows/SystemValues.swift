package import Foundation

/// The values in a row that every record has, after its ID; `nil` for those that are not of the column's type.
package struct SystemValues {
    package let sequenceNumber: Int64?
    package let creationDate: Date?
    package let creator: UnsafeBufferPointer<UInt8>?
    package let modificationDate: Date?
    package let modifier: UnsafeBufferPointer<UInt8>?
    /// Whether the column of the parent is not NULL.
    package let hasParent: Bool
    package let parent: UnsafeBufferPointer<UInt8>?
    package let insertionNumber: Int64?

    package init(
        sequenceNumber: Int64?, creationDate: Date?, creator: UnsafeBufferPointer<UInt8>?, modificationDate: Date?,
        modifier: UnsafeBufferPointer<UInt8>?, hasParent: Bool, parent: UnsafeBufferPointer<UInt8>?,
        insertionNumber: Int64?
    ) {
        self.sequenceNumber = sequenceNumber
        self.creationDate = creationDate
        self.creator = creator
        self.modificationDate = modificationDate
        self.modifier = modifier
        self.hasParent = hasParent
        self.parent = parent
        self.insertionNumber = insertionNumber
    }
}
