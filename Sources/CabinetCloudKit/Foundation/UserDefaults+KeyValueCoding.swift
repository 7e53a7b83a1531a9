public import Foundation

#if !canImport(ObjectiveC)
extension UserDefaults {
    /// Sets the value of a key; `nil` removes it.
    ///
    /// Foundation has this method on Apple's platforms alone, where programs store their change tokens with it.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// Returns the value of a key.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
}
#endif
