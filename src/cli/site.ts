import { keyOfFile } from '#core/files/layout.ts'
import { parseKey } from '#core/key.ts'
import { CLOCK_STATUSES } from '#core/status.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { NotFound } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'
import type { Call } from './command.ts'
import { usage } from './failure.ts'
import type { OpenOptions, Quire } from './open/site.ts'

/** Maximum depth of a site's content folder at which the path of a file is recognized. */
const MOST_STEPS = 8

/** Opens the site of a call, does the work and closes it again, whatever comes of it. */
export async function withSite<T>(call: Call, work: (site: Quire) => Promise<T>, options: Partial<OpenOptions> = {}): Promise<T> {
  const site = await opened(call, options)
  try {
    return await work(site)
  } finally {
    await site.close()
  }
}

/** As `withSite`, for work that answers records: their dates are there, as in the API, where they are `wanted`. */
export function withRecords<T>(
  call: Call,
  work: (site: Quire) => Promise<T>,
  wanted: boolean = call.output.options.json,
): Promise<T> {
  return withSite(call, async (site) => {
    if (wanted) await site.store.dated()
    return work(site)
  })
}

/** Opens the site of a call; the caller closes it. */
export async function opened(call: Call, options: Partial<OpenOptions> = {}): Promise<Quire> {
  const [{ openSite }, { moduleWords }] = await Promise.all([import('./open/site.ts'), import('./server-log.ts')])
  const progress = call.output.progress('Reading the site')
  try {
    const onProgress = (files: number) => progress.step(files)
    const site = await openSite({
      directory: call.directory,
      watch: false,
      env: call.env,
      force: call.force,
      onProgress,
      moduleLog: moduleWords(call.output, options.serving === true),
      ...options,
    })
    for (const message of site.loaded.warnings) call.output.warn({ message })
    for (const remark of site.remarks) call.output.warn(remark)
    return site
  } finally {
    progress.end()
  }
}

/** An id as it was typed, where folders may be parted by slashes as in paths. */
export function idOf(text: string): string {
  return text.replaceAll('/', '~')
}

/** The type of that name, if it is declared or there is a folder of it; throws NotFound with the nearest one else. */
export async function typeOf(site: Quire, name: string): Promise<ContentType> {
  const kinds = await site.store.kinds()
  const names = [
    ...new Set([...site.types.declared().map((type) => type.name), ...kinds.filter((kind) => site.types.get(kind))]),
  ].sort()
  const type = names.includes(name) ? site.types.get(name) : undefined
  if (type) return type
  const near = nearest(name, names)
  const known = names.length > 0 ? `There are ${names.join(', ')}.` : firstType(site)
  throw new NotFound(`There is no type "${name}".`, near ? `Did you mean ${near}?` : known)
}

function firstType(site: Quire): string {
  if (!site.isInFiles) return 'There is none yet: declare one in cms.config.yaml, such as `types: { posts: {} }`.'
  return 'There is none yet: make a folder in content/, such as content/posts.'
}

/** As `typeOf`, and also a type of which nothing is left but the history of this record. */
export async function typeOnce(site: Quire, name: string, id: string): Promise<ContentType> {
  try {
    return await typeOf(site, name)
  } catch (error) {
    const type = site.types.get(name)
    const key = type && parseKey(name, id)
    const page = key && (await site.store.history(key, { limit: 1 }))
    if (type && page && page.total > 0) return type
    throw error
  }
}

/**
 * Returns the result of `work`. If it finds no record, the error names the nearest id of the type. An error that already has a
 * hint is about something else and passes unchanged.
 */
export async function nearRecord<T>(site: Quire, type: ContentType, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NotFound) || error.hint !== undefined) throw error
    const { items } = await site.store.heads(type.name, {})
    const ids = items.map((head) => head.key.id)
    const near = idOfPath(type, id, ids) ?? nearest(id, ids)
    const hint = near ? `Did you mean ${near}?` : `\`cms list ${type.name}\` shows what there is.`
    throw new NotFound(`There is no record "${id}" in ${type.name}.`, hint)
  }
}

/**
 * The id, if it is one of `ids`, of the record whose file is named in its place: `content/posts/a.md`, as `cms new` prints it.
 */
function idOfPath(type: ContentType, path: string, ids: readonly string[]): string | undefined {
  const steps = path.split(/[/~]/)
  const keys = steps.slice(0, MOST_STEPS).map((_, first) => keyOfFile(steps.slice(first).join('/')))
  return keys.find((key) => key?.kind === type.name && ids.includes(key.id))?.id
}

/**
 * The status of that name, if the type has it; wrong usage with the nearest one else. `read` allows what the clock makes of one
 * too.
 */
export function statusOf(type: ContentType, name: string, read = false): string {
  const names = [...type.statuses.keys(), ...(read ? CLOCK_STATUSES : [])]
  if (names.includes(name)) return name
  const near = nearest(name, names)
  throw usage(`There is no status "${name}".`, near ? `Did you mean ${near}?` : `There are ${names.join(', ')}.`)
}
