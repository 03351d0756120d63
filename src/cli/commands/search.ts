import type { Command } from 'commander'
import { askingOf } from '#features/search/parameters.ts'
import type { Result } from '#features/search/schema.ts'
import { NotFound } from '#lib/errors.ts'
import { counted } from '#lib/text/counted.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { asUsage, EXIT } from '../failure.ts'
import type { Quire } from '../open/site.ts'
import type { Output } from '../output.ts'
import { statusOf, typeOf, withSite } from '../site.ts'
import { wholeNumber } from '../values.ts'

interface Options {
  type?: string
  status?: string
  limit: string
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

export function define(command: Command, act: Act): void {
  command
    .argument('<q...>', 'words, "a phrase" in quotes, +must, -mustn’t (after --)')
    .option('--type <type>', 'only records of this type')
    .option('--status <status>', 'only those in this status')
    .option('--limit <n>', 'how many, or all', '20')
    .addHelpText('after', examples('cms search lighthouse', `cms search '"first light" -fog' --type posts --status draft --json`))
    .addHelpText('after', '\nExit code 0: something was found; 1: nothing.')
    .action(act((call, words: string[], options: Options) => search(call, words.join(' '), options)))
}

async function search(call: Call, q: string, options: Options): Promise<Answer> {
  const perPage = options.limit === 'all' ? Number.MAX_SAFE_INTEGER : wholeNumber('--limit', options.limit)
  return withSite(call, async (site) => {
    if (!site.config.features.search)
      throw new NotFound('Search is switched off.', 'Set `features: { search: true }` in cms.config.yaml.')
    const asking = { ...askedFor({ q, ...(await narrowed(site, options)) }), perPage }
    const progress = call.output.progress('Searching')
    const { data, meta } = await site.features.search.find(site.access, asking).finally(() => progress.end())
    if (data.length < meta.total) call.output.say(`${data.length} of ${counted(meta.total, 'record')}; --limit shows the others.`)
    const text = data.map((result) => lines(result, call.output)).join('\n')
    if (data.length > 0) return { data, text }
    const message = `Nothing was found for ${q}.`
    call.output.say(printable(message))
    return { data, text, failed: { exit: EXIT.failed, message, hint: 'Try fewer words, or other ones.' } }
  })
}

async function narrowed(site: Quire, { type: typeName, status }: Options): Promise<{ type?: string; status?: string }> {
  const type = typeName === undefined ? undefined : await typeOf(site, typeName)
  const any = type ?? site.types.declared()[0] ?? site.types.get('pages')
  return {
    ...(type && { type: type.name }),
    ...(status !== undefined && { status: any ? statusOf(any, status, true) : status }),
  }
}

function askedFor(params: Record<string, string>): ReturnType<typeof askingOf> {
  try {
    return askingOf(params)
  } catch (error) {
    return asUsage(error)
  }
}

/** A result as a person reads it: its name and title, and what was found of its text below. */
function lines({ type, id, title, excerpt }: Result, output: Output): string {
  const head = `${output.paint('cyan', `${type}/${id}`, 'stdout')}  ${printable(title ?? '')}`
  const text = excerpt.split(/(<mark>.*?<\/mark>)/).map((part) => {
    const marked = /^<mark>(.*)<\/mark>$/.exec(part)?.[1]
    return marked === undefined ? plain(part) : output.paint('bold', plain(marked), 'stdout')
  })
  return excerpt === '' ? head : `${head}\n    ${text.join('')}`
}

function plain(html: string): string {
  return printable(html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity))
}

/** Content is anyone's: no control character of it gets to the terminal. */
function printable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '')
}
