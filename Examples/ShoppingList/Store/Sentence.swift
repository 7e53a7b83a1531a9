/// The app's sentences, word for word as in the tutorial, which shares no lists.
enum Sentence: String {
    case noLists = "No Records Found"
    case noItems = "No Items Found"
    case listsNotFetched = "Error Fetching Records"
    case listNotSaved = "We were not able to save your list."
    case listNotDeleted = "We are unable to delete the list."
    case itemsNotFetched = "Error Fetching Items for List"
    case itemNotSaved = "We were not able to save your item."
    case itemNotDeleted = "We are unable to delete the item."
    case listNotShared = "We were not able to share your list."
    case listNotJoined = "We were not able to join the list."
    case listNotLeft = "We were not able to leave the list."
}
