import type { Command } from 'commander'
import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import { type Act, type Answer, type Call, examples, gather } from '../command.ts'
import { asUsage, usage } from '../failure.ts'
import type { Quire } from '../open/site.ts'
import { table } from '../output.ts'
import { statusOf, typeOf, withRecords } from '../site.ts'
import { wholeNumber } from '../values.ts'
import { cell } from '../view.ts'

interface Options {
  status?: string
  sort?: string
  limit: string
  page: string
  fields?: string
  filter?: string[]
}

const PER_PAGE = 100
const COLUMNS = 'id,status,published_at,title'

export function define(command: Command, act: Act): void {
  command
    .argument('<type>', 'the type, such as posts')
    .option('--status <status>', 'only those in this status')
    .option('--sort <fields>', 'fields to order by, with - for descending: -published_at,title')
    .option('--filter <name=value>', 'only those with this value or term: tag=news; repeatable', gather)
    .option('--fields <names>', `columns, or fields with --json (${COLUMNS})`)
    .option('--limit <n>', 'how many, or all', '50')
    .option('--page <n>', 'which part', '1')
    .addHelpText('after', examples('cms list posts --status draft', 'cms list posts --filter tag=news --limit all --json'))
    .action(act((call, type: string, options: Options) => list(call, type, options)))
}

async function list(call: Call, typeName: string, options: Options): Promise<Answer> {
  const limit = options.limit === 'all' ? Number.POSITIVE_INFINITY : wholeNumber('--limit', options.limit)
  const page = wholeNumber('--page', options.page)
  const work = async (site: Quire): Promise<Answer> => {
    const type = await typeOf(site, typeName)
    const columns = (options.fields ?? COLUMNS).split(',').map((name) => name.trim())
    const params = paramsOf(type, options, call.output.options.json ? options.fields : columns.join(','))
    const first = limit === Number.POSITIVE_INFINITY ? 0 : (page - 1) * limit
    const { records, total } = await collect(site, type, params, first, limit)
    if (total === 0)
      call.output.say(isAll(options) ? `There are no records in ${type.name}.` : `There is no such record in ${type.name}.`)
    if (records.length < total) call.output.say(`${records.length} of ${total}; --limit and --page show the others.`)
    await sayUnreadable(call, site, type)
    const rows = records.map((record) => columns.map((name) => cell(record[name])))
    const text = rows.length > 0 ? table([columns.map((name) => name.toUpperCase()), ...rows], call.output.columns) : ''
    return { data: records, text }
  }
  return withRecords(call, work, isAboutDates(call, options))
}

function isAll({ status, filter = [] }: Options): boolean {
  return status === undefined && filter.length === 0
}

/** Returns whether an answer contains, filters by or sorts by dates that may be known from history only. */
function isAboutDates(call: Call, { sort = '', filter = [], fields }: Options): boolean {
  if (fields === undefined && call.output.options.json) return true
  return /\b(?:created|updated)_at\b/.test([sort, fields, ...filter].join(' '))
}

function paramsOf(type: ContentType, options: Options, fields: string | undefined): Record<string, string> {
  const params: Record<string, string> = {}
  if (fields !== undefined) params.fields = fields
  if (options.sort !== undefined) params.sort = options.sort
  if (options.status !== undefined) params.status = statusOf(type, options.status, true)
  for (const filter of options.filter ?? []) {
    const [name = '', ...value] = filter.split('=')
    if (name === '' || value.length === 0)
      throw usage(`--filter takes name=value, not "${filter}".`, 'For example: --filter tag=news')
    const taxonomy = type.taxonomies.find((one) => one.name === name || one.singular === name)
    params[taxonomy?.singular ?? `filter[${name}]`] = value.join('=')
  }
  return params
}

/** The records from `first` on, at most `limit`, by as many pages as that takes; and how many there are in all. */
async function collect(site: Quire, type: ContentType, params: Record<string, string>, first: number, limit: number) {
  let size = Math.min(limit, PER_PAGE)
  const records: Fields[] = []
  for (let at = first; ; at += size) {
    // Lists are served in whole pages, so a part that begins within one is cut out of it.
    const page = Math.floor(at / size) + 1
    const listing = await site.features.records
      .browse(site.access, type.name, { ...params, page: String(page), per_page: String(size) })
      .catch(asUsage)
    if (listing.meta.omitted && size > 1) {
      // Fewer at once have room for all they hold.
      size = Math.ceil(size / 4)
      at -= size
      continue
    }
    const items: Fields[] = JSON.parse(listing.body.toString('utf8')).data
    records.push(...items.slice(at - (page - 1) * size))
    if (records.length >= limit || page * size >= listing.meta.total)
      return { records: records.slice(0, limit), total: listing.meta.total }
    at = (page - 1) * size
  }
}

/** Reports unreadable files, since they are in no list. */
async function sayUnreadable(call: Call, site: Quire, type: ContentType): Promise<void> {
  const files = (await site.store.problems(type.name)).filter(({ severity }) => severity === 'error')
  const some = new Set(files.map(({ file }) => file)).size
  if (some === 0) return
  const message =
    some === 1 ? `A file of ${type.name} can't be read as a record.` : `${some} files of ${type.name} can't be read as records.`
  call.output.warn({ message, hint: '`cms check` says where and why.' })
}
