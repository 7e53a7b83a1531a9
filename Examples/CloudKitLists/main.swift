// The tutorial's shopping list, written for CloudKit. Without CABINET_STORE, the records stay in memory.
//
// Its screens are those of the tutorial, with their methods. A list of steps replaces the person.

import CloudKit

let listsController = ListsController()
var itemsController: ItemsController?
var addList: AddListController?
var addItem: AddItemController?
var steps: [() -> Void] = []

func nextStep() {
    if steps.isEmpty { exit(0) }
    steps.removeFirst()()
}

/// The record at a position of a screen.
///
/// Without it, an earlier step has failed and said so.
func shown(_ index: Int, of records: [CKRecord]?) -> CKRecord {
    guard let records = records, records.indices.contains(index) else { exit(1) }
    return records[index]
}

func save(listNamed name: String, in list: CKRecord? = nil) {
    let controller = AddListController()
    controller.delegate = listsController
    controller.list = list
    addList = controller
    controller.save(name: name)
}

func save(itemNamed name: String, in item: CKRecord? = nil, _ number: (Double) -> Double = { $0 }) {
    guard let itemsController = itemsController else { return }
    let controller = AddItemController(list: itemsController.list, item: item)
    controller.delegate = itemsController
    addItem = controller
    controller.save(name: name, number: number(controller.stepper))
}

func showItems(of list: CKRecord) {
    itemsController = ItemsController(list: list)
    itemsController?.onUpdate = nextStep
    itemsController?.fetchItems()
}

listsController.onUpdate = nextStep
steps = [
    { save(listNamed: "groceries") },
    { save(listNamed: "Books") },
    { save(listNamed: "Groceries", in: shown(1, of: listsController.lists)) },
    { showItems(of: shown(1, of: listsController.lists)) },
    { save(itemNamed: "Milk") },
    { save(itemNamed: "Bread") },
    { save(itemNamed: "Oat milk", in: shown(1, of: itemsController?.items)) { $0 + 1 } },
    { itemsController?.deleteRecord(shown(0, of: itemsController?.items)) },
    { itemsController?.deleteRecord(shown(0, of: itemsController?.items)) },
    { save(itemNamed: "Eggs") { $0 + 5 } },
    { listsController.deleteRecord(shown(1, of: listsController.lists)) },
    { itemsController?.fetchItems() },
    { listsController.fetchLists() },
]
listsController.viewDidLoad()
RunLoop.main.run()
