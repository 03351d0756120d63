// Preloaded into a process: has it live a year and some hours later.
const AHEAD = 400 * 86_400_000 + 9 * 3_600_000
const Real = Date
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + AHEAD] : given))
  }

  static now() {
    return Real.now() + AHEAD
  }
}
