import Foundation

/// The text of an object that CloudKit gives to be stored, such as a change token.
enum Archive {
    static func text(of object: some NSObject & NSSecureCoding) throws -> String {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true).base64EncodedString()
    }

    /// Returns the object of a text, or `nil` if the text is not one.
    static func object<Object: NSObject & NSSecureCoding>(_ type: Object.Type, of text: String) -> Object? {
        guard let data = Data(base64Encoded: text) else { return nil }
        return try? NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    }
}
