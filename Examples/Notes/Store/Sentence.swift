/// The app's sentences for failures.
enum Sentence: String {
    case noNotes = "No Notes Found"
    case notesNotFetched = "Error Fetching Notes"
    case noteNotSaved = "We were not able to save your note."
    case noteNotDeleted = "We are unable to delete the note."
    case pictureNotFetched = "We were not able to fetch the picture."
}
