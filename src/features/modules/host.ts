import { type ContextDeps, contextOf, type OfModule } from './context/module-context.ts'
import { wordsOf } from './module-log.ts'
import type { LoadedModule, ModuleOff, ModuleSet } from './module-set.ts'

/** A module at work. */
export interface ActiveModule extends OfModule {
  readonly module: LoadedModule
  /** False from the moment on in which it is switched off. */
  readonly isOn: () => boolean
}

/** The modules of a site that is open: those at work, and those that are off, with the reasons. */
export class ModuleHost {
  readonly #deps: ContextDeps
  readonly #active: readonly ActiveModule[]
  readonly #byName: ReadonlyMap<string, ActiveModule>
  readonly #off: ModuleOff[]

  constructor(set: ModuleSet, deps: ContextDeps) {
    this.#deps = deps
    this.#off = [...set.off]
    this.#active = set.on.map((module) => ({
      module,
      ...contextOf(module, deps),
      isOn: () => !this.#off.some(({ name }) => name === module.name),
    }))
    this.#byName = new Map(this.#active.map((active) => [active.module.name, active]))
  }

  /** Those at work, in their order. */
  on(): readonly ActiveModule[] {
    return this.#active.filter(({ isOn }) => isOn())
  }

  /** All that were loaded, whatever became of them since. */
  all(): readonly ActiveModule[] {
    return this.#active
  }

  off(): readonly ModuleOff[] {
    return this.#off
  }

  find(name: string): ActiveModule | undefined {
    const active = this.#byName.get(name)
    return active?.isOn() ? active : undefined
  }

  /** Ends the work of a module: what it declared answers no more, and the log says why. */
  switchOff({ name, version }: LoadedModule, reason: string, error?: unknown): void {
    if (this.#off.some((one) => one.name === name)) return
    this.#off.push({ name, version, reason })
    this.#deps.log({
      level: 'error',
      module: name,
      message: `The module is off: ${reason}`,
      ...(error !== undefined && { error }),
    })
  }

  /** Does something with each module at work; one that throws is off. */
  each(work: (active: ActiveModule) => void): void {
    for (const active of this.on()) {
      try {
        work(active)
      } catch (error) {
        this.switchOff(active.module, wordsOf(error), error)
      }
    }
  }
}
