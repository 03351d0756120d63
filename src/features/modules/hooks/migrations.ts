import { keyOf } from '#core/key.ts'
import { alone } from '#core/lease.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import { Unavailable } from '#lib/errors.ts'
import type { ModuleContext } from '#module/context.ts'
import type { Migration } from '#module/module.ts'
import { factName } from '../context/module-store.ts'
import { authorOf } from '../module-access.ts'

/** The private kind that says how far each module is migrated. No collection of a module has a name like it. */
export const MIGRATIONS = '.migrations'

/** Milliseconds between two looks at whether another node is done. */
const PAUSE_MS = 200

/** The dependencies of migrations. */
export interface MigrationDeps {
  readonly store: Store
  readonly ledger: Ledger
  /** Resolves some milliseconds later. */
  readonly pause: (ms: number) => Promise<void>
}

/**
 * Runs the migrations of a module that were not run yet, in the order of their numbers: each once on a site, by one node while the
 * others wait. Rejects with the error of one that fails; it is run again at the next start.
 */
export async function migrate(module: string, migrations: readonly Migration[], context: ModuleContext, deps: MigrationDeps) {
  const ordered = [...migrations].sort((a, b) => a.number - b.number)
  const last = ordered.at(-1)?.number ?? 0
  while ((await doneUpTo(module, deps)) < last) {
    try {
      await alone(deps.ledger, factName(module, 'host', 'migrating'), (renew) => runAll(module, ordered, context, deps, renew))
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await deps.pause(PAUSE_MS)
    }
  }
}

async function runAll(
  module: string,
  migrations: readonly Migration[],
  context: ModuleContext,
  deps: MigrationDeps,
  renew: () => Promise<void>,
): Promise<void> {
  for (const { number, run } of migrations) {
    if (number <= (await doneUpTo(module, deps))) continue
    await renew()
    await run(context)
    const change = { key: keyOf(MIGRATIONS, module), put: { set: { number } } }
    await deps.store.write([change], authorOf(module))
  }
}

async function doneUpTo(module: string, { store }: MigrationDeps): Promise<number> {
  const number = (await store.head(keyOf(MIGRATIONS, module)))?.fields.number
  return typeof number === 'number' ? number : 0
}
