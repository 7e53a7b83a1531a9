/// A type that links can point to: a declaration, or ``OneOf``.
public protocol LinkTarget: Sendable {}
