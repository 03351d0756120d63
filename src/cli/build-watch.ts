import { once } from 'node:events'
import { basename, join, relative, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { CONFIG_FILE, findSite, loadConfig } from '#config/load.ts'
import { isWithin } from '#features/site/building/out-place.ts'
import { type BuildFlags, built } from './building.ts'
import type { Answer, Call } from './command.ts'
import { reportOf } from './failure.ts'
import type { Quire } from './open/site.ts'
import { placeOf } from './output.ts'
import { opened, withSite } from './site.ts'

/** Milliseconds that changes are left to settle: a save is often several. What comes later is built again. */
const SETTLED_MS = 50

/**
 * Builds a site, and again whenever something that it is made of changes, until it is interrupted. A build that fails is no reason
 * to end: the next change may mend it.
 */
export async function buildAgain(call: Call, flags: BuildFlags): Promise<Answer | undefined> {
  const changes = new Changes()
  const unwatch = await watching(call, flags, (file) => changes.note(file))
  call.signal.addEventListener('abort', () => changes.note(), { once: true })
  const site = new OpenSite(call)
  try {
    while (!call.signal.aborted) {
      await build(call, flags, site, changes.begin())
      await changes.next()
    }
  } finally {
    await site.close()
    await unwatch()
  }
  return undefined
}

async function build(call: Call, flags: BuildFlags, site: OpenSite, changed: readonly string[] | undefined): Promise<void> {
  const started = performance.now()
  try {
    const { data, text, failed } = await built(call, await site.after(changed), flags, started)
    if (call.output.options.json) call.output.document({ ok: failed === undefined, data })
    else if (failed) call.output.complain(failed.message)
    else call.output.print(text)
  } catch (error) {
    await site.close()
    if (call.signal.aborted) return
    const report = reportOf(error)
    for (const { message, ...at } of [report, ...report.others]) call.output.complain(`${placeOf(at)} ${message}`.trim())
  }
}

/**
 * Tells of changes of what a site is made of, once it listens for them: with the path of a file, from the site's root, where no more
 * than its content is another. Resolves with what ends that.
 */
async function watching(call: Call, flags: BuildFlags, changed: (file?: string) => void): Promise<() => Promise<void>> {
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
  watcher.on('all', (event, path) => (event === 'change' ? changed(relative(root, path).replaceAll(sep, '/')) : changed()))
  watcher.on('error', (error) => call.output.detail(`Not all is watched: ${String(error)}`))
  await once(watcher, 'ready')
  const site = (await isInFiles(call)) ? undefined : await opened(call, { watch: true })
  const unsubscribe = site?.store.subscribe(() => changed())
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

/** The site that is built: open as long as nothing is another but what files of its records hold. */
class OpenSite {
  readonly #call: Call
  #site: Quire | undefined

  constructor(call: Call) {
    this.#call = call
  }

  /** The site after these files have changed; `undefined` stands for anything. */
  async after(files: readonly string[] | undefined): Promise<Quire> {
    const site = this.#site
    if (site && files && (await hasAll(site, files)) && site.lookAt(files)) return site
    await this.close()
    this.#site = await opened(this.#call)
    return this.#site
  }

  async close(): Promise<void> {
    const site = this.#site
    this.#site = undefined
    await site?.close()
  }
}

/** Returns whether all of these are files of records that the site knows. */
async function hasAll(site: Quire, files: readonly string[]): Promise<boolean> {
  const known = new Set(await site.files())
  return files.every((file) => known.has(file))
}

/** The changes since a build began. */
class Changes {
  readonly #files = new Set<string>()
  #isNoted = false
  #hasOthers = true
  #wake: (() => void) | undefined

  /** Takes note of the change of a file's content, or of anything else. */
  note(file?: string): void {
    this.#isNoted = true
    if (file === undefined) this.#hasOthers = true
    else this.#files.add(file)
    this.#wake?.()
  }

  /** The files that have changed since this was last called; undefined where something else has. */
  begin(): readonly string[] | undefined {
    const files = this.#hasOthers ? undefined : [...this.#files]
    this.#files.clear()
    this.#isNoted = false
    this.#hasOthers = false
    return files
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
