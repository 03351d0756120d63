import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedConfig } from '#config/load.ts'
import { type ModuleLog, moduleLog } from '#features/modules/module-log.ts'
import { type ModuleSet, NO_MODULES } from '#features/modules/module-set.ts'
import { packageRoot } from '#lib/package.ts'
import { SHIPPED, type ShippedModule } from '#modules/shipped.ts'

/** The way in which modules are opened. */
export interface ModuleOptions {
  readonly moduleLog?: ModuleLog | undefined
  readonly withoutModules?: boolean
  /** The name of the only one that is loaded. */
  readonly only?: string
}

/** The modules of a site that is open. */
export interface OpenedModules {
  readonly set: ModuleSet
  /** Gives the console back, which prints to the log while modules are there. */
  close(): void
}

const NONE: OpenedModules = { set: NO_MODULES, close: () => undefined }

/** Loads the modules of a site: those that ship and are switched on, and those that the configuration enables. */
export async function modulesOf(
  { config, root }: LoadedConfig,
  privateDir: string,
  options: ModuleOptions,
): Promise<OpenedModules> {
  const switches: Readonly<Record<string, boolean>> = config.features
  const isWanted = (name: string) => options.only === undefined || name === options.only
  const named = config.features.modules ? config.modules.enabled.filter(isWanted) : []
  const isOn = (module: ShippedModule) =>
    module.switch === undefined ? named.includes(module.name) : switches[module.switch] === true && isWanted(module.name)
  const shipped = SHIPPED.filter(isOn)
  const enabled = named.filter((name) => !SHIPPED.some((module) => module.name === name))
  if (options.withoutModules || (shipped.length === 0 && enabled.length === 0)) return NONE
  const log = options.moduleLog ?? moduleLog(process.stderr)
  const [{ loadModules }, { Quiet }] = await Promise.all([
    import('#features/modules/loading/loader.ts'),
    import('#features/modules/loading/quiet.ts'),
  ])
  const quiet = enabled.length > 0 ? new Quiet((module, message) => log({ level: 'info', module, message })) : undefined
  const cache = config.storage.driver === 'files' && enabled.length > 0 ? join(privateDir, 'cache', 'modules') : undefined
  if (cache !== undefined) await makePrivate(privateDir)
  const set = await loadModules({
    ...{ root, enabled, shipped, version: version(), cache },
    onCode: (module) => quiet?.knows(module),
  })
  return { set, close: () => quiet?.end() }
}

/** A folder that can't be made is told of by what is to be put there. */
async function makePrivate(folder: string): Promise<void> {
  const { makePrivateDir } = await import('#stores/engine/private-folder.ts')
  try {
    makePrivateDir(folder)
  } catch {
    return
  }
}

function version(): string {
  return JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version
}
