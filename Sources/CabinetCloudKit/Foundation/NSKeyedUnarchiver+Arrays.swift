public import Foundation

#if !canImport(ObjectiveC)
extension NSKeyedUnarchiver {
    /// Returns the objects of an archived array, which are all of one class.
    ///
    /// Foundation has this method on Apple's platforms alone.
    ///
    /// - Parameters:
    ///   - cls: The class of the objects.
    ///   - data: The archive.
    /// - Throws: `CocoaError` if the data is not an archive of such an array.
    public static func unarchivedArrayOfObjects<Object: NSObject & NSCoding>(
        ofClass cls: Object.Type, from data: Data
    ) throws -> [Object]? {
        try unarchivedObject(ofClasses: [NSArray.self, cls], from: data) as? [Object]
    }

    /// Returns the objects of an archived array, which are of several classes.
    ///
    /// - Parameters:
    ///   - classes: The classes of the objects.
    ///   - data: The archive.
    /// - Throws: `CocoaError` if the data is not an archive of such an array.
    public static func unarchivedArrayOfObjects(ofClasses classes: [AnyClass], from data: Data) throws -> [Any]? {
        try unarchivedObject(ofClasses: [NSArray.self] + classes, from: data) as? [Any]
    }
}
#endif
