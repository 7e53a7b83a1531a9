// CloudKit re-exports both, so that a program that imports it alone compiles.
@_exported public import CoreLocation
@_exported public import Foundation
