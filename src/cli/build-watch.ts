import { once } from 'node:events'
import { basename, join, resolve } from 'node:path'
import { watch } from 'chokidar'
import { CONFIG_FILE, findSite, loadConfig } from '#config/load.ts'
import { isWithin } from '#features/site/building/out-place.ts'
import { type BuildFlags, buildOnce } from './building.ts'
import type { Answer, Call } from './command.ts'
import { reportOf } from './failure.ts'
import { placeOf } from './output.ts'
import { opened, withSite } from './site.ts'

/** Milliseconds that changes are left to settle: a save is often several. */
const SETTLED_MS = 100

/**
 * Builds a site, and again whenever something that it is made of changes, until it is interrupted. A build that fails is no reason
 * to end: the next change may mend it.
 */
export async function buildAgain(call: Call, flags: BuildFlags): Promise<Answer | undefined> {
  const changes = new Changes()
  const unwatch = await watching(call, flags, () => changes.note())
  call.signal.addEventListener('abort', () => changes.note(), { once: true })
  try {
    while (!call.signal.aborted) {
      changes.begin()
      await build(call, flags)
      await changes.next()
    }
  } finally {
    await unwatch()
  }
  return undefined
}

async function build(call: Call, flags: BuildFlags): Promise<void> {
  try {
    const { data, text, failed } = await buildOnce(call, flags)
    if (call.output.options.json) call.output.document({ ok: failed === undefined, data })
    else if (failed) call.output.complain(failed.message)
    else call.output.print(text)
  } catch (error) {
    if (call.signal.aborted) return
    const report = reportOf(error)
    for (const { message, ...at } of [report, ...report.others]) call.output.complain(`${placeOf(at)} ${message}`.trim())
  }
}

/** Tells of changes of what a site is made of, once it listens for them. Resolves with what ends that. */
async function watching(call: Call, flags: BuildFlags, changed: () => void): Promise<() => Promise<void>> {
  const root = findSite(call.directory)
  const { config } = loadConfig(root, call.env)
  const { content, templates } = config.site
  const paths = [CONFIG_FILE, content, templates, 'data', 'static'].map((path) => join(root, path))
  const out = flags.out === undefined ? resolve(root, config.build.out) : resolve(call.directory, flags.out)
  const made = [out, join(root, config.storage.private_dir), join(root, '.git'), join(root, 'node_modules')]
  // Beside the output is where a build makes it.
  const ignored = (path: string) =>
    made.some((one) => isWithin(path, one)) || basename(path).startsWith(`.${basename(out)}.quire-`)
  const watcher = watch(paths, { ignoreInitial: true, followSymlinks: false, ignored })
  watcher.on('all', changed)
  watcher.on('error', (error) => call.output.detail(`Not all is watched: ${String(error)}`))
  await once(watcher, 'ready')
  const site = (await isInFiles(call)) ? undefined : await opened(call, { watch: true })
  const unsubscribe = site?.store.subscribe(changed)
  return async () => {
    unsubscribe?.()
    await site?.close()
    await watcher.close()
  }
}

/** Tells whether the content of a site is in the files that are watched. */
async function isInFiles(call: Call): Promise<boolean> {
  return withSite(call, async (site) => site.isInFiles)
}

/** The changes since a build began. */
class Changes {
  #isNoted = false
  #wake: (() => void) | undefined

  note(): void {
    this.#isNoted = true
    this.#wake?.()
  }

  begin(): void {
    this.#isNoted = false
  }

  /** Resolves when something has changed since `begin`, and has settled. */
  async next(): Promise<void> {
    if (!this.#isNoted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
  }
}
