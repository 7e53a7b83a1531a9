/// An encoder that refuses every value with an error.
struct RefusingEncoder: Encoder {
    let error: any Error
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusingKeyedContainer(error: error))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(error: error) }

    func singleValueContainer() -> any SingleValueEncodingContainer { RefusingContainer(error: error) }
}
