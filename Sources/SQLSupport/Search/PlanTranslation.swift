package import Cabinet

/// A plan, and its filter in SQL.
package struct PlanTranslation<Dialect: SQLDialect> {
    package let plan: QueryPlan
    /// The parts of the filter.
    package let parts: FilterTranslator<Dialect>.Parts
    /// The translator of the filter, with the parameters of the parts.
    package var translator: FilterTranslator<Dialect>

    /// Translates the filter of a plan.
    package init(_ plan: QueryPlan, _ translator: consuming FilterTranslator<Dialect>) throws {
        self.plan = plan
        parts = try translator.split(plan.filter)
        self.translator = translator
    }
}
