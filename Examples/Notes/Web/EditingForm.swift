import CabinetServer

/// The form of a new note, or of one that is changed.
struct EditingForm {
    let address: String
    let button: String
    let pages: PageGuard
    /// The title and text as the store has them.
    var (title, text) = ("", "")
    /// The title and text as the person has typed them.
    var typed: (title: String, text: String)?

    init(address: String, button: String, pages: PageGuard) {
        self.address = address
        self.button = button
        self.pages = pages
    }

    var html: HTML {
        """
        <form class="note" method="post" action="\(address)" enctype="multipart/form-data" autocomplete="off">\(pages.formField)
        <input type="hidden" name="was-title" value="\(title)">
        <input type="hidden" name="was-text" value="\(text)">
        <label>Title <input name="title" value="\(typed?.title ?? title)" dir="auto" required></label>
        <label>Text <textarea name="text" rows="6" dir="auto" required>
        \(typed?.text ?? text)</textarea></label>
        <label>Picture <input name="picture" type="file" accept="image/jpeg,image/png"></label>
        \(address == "/" ? nil : "<label class=\"choice\"><input name=\"standard-picture\" type=\"checkbox\" value=\"1\"> Put the default picture back</label>" as HTML?)
        <button>\(button)</button></form>
        """
    }
}
