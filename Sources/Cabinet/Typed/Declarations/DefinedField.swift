/// A declared property with its definition.
protocol DefinedField: Sendable {
    var definition: FieldDefinition { get }
}
