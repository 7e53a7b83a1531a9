/// The shapes of the content of typed fields, which decide at compile time whether records can be sorted and grouped by a field.
public enum ContentShape {
    /// The shape of content that has an order: text, numbers, dates, bytes and references.
    public enum Scalar {}

    /// The shape of lists.
    public enum List {}

    /// The shape of locations, which have distances.
    public enum Location {}

    /// The shape of assets.
    public enum Asset {}
}
