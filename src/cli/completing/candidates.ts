import { resolve } from 'node:path'
import type { Command, Option } from 'commander'
import { PRESETS } from '#core/access/access.ts'
import { shippedNames } from '../checking/shipped-templates.ts'
import type { Call } from '../command.ts'
import type { Quire } from '../open/site.ts'
import { idOf, withSite } from '../site.ts'

/** The words typed so far, as far as they could be parsed. */
interface Typed {
  readonly command: Command | undefined
  /** The values of the command's arguments. */
  readonly values: readonly string[]
  /** The option whose value comes next. */
  readonly option: Option | undefined
  readonly directory: string | undefined
}

/** The most words that are offered. */
const MOST = 500

/** The words that may stand where the last of `typed` does and begin as it does; none where a file may, or nothing is known. */
export async function candidates(call: Call, typed: readonly string[], program: Command): Promise<string[]> {
  const current = typed.at(-1) ?? ''
  const state = understood(typed.slice(0, -1), program)
  const [, name, value] = /^(--[\w-]+)=(.*)$/.exec(current) ?? []
  if (name !== undefined && value !== undefined) {
    const option = optionsOf(state.command, program).find(({ long }) => long === name)
    return fitting(option ? await valuesOf(call, state, option) : [], value).map((word) => `${name}=${word}`)
  }
  return fitting(await wordsFor(call, state, current, program), current)
}

async function wordsFor(call: Call, state: Typed, current: string, program: Command): Promise<readonly string[]> {
  const { command, option, values } = state
  if (option) return valuesOf(call, state, option)
  if (current.startsWith('-')) return optionsOf(command, program).flatMap(({ long }) => long ?? [])
  if (!command) return program.commands.map((one) => one.name())
  const argument = command.registeredArguments[values.length]
  return argument ? argumentWords(call, state, argument.name()) : []
}

function understood(words: readonly string[], program: Command): Typed {
  const typed: { -readonly [K in keyof Typed]: Typed[K] } & { values: string[] } = {
    command: undefined,
    values: [],
    option: undefined,
    directory: undefined,
  }
  for (const word of words) {
    if (typed.option) {
      if (typed.option.attributeName() === 'directory') typed.directory = word
      typed.option = undefined
    } else if (word.startsWith('-')) {
      const known = optionsOf(typed.command, program).find(({ long, short }) => word === long || word === short)
      if (known?.required) typed.option = known
    } else if (typed.command) typed.values.push(word)
    else typed.command = program.commands.find((one) => one.name() === word)
  }
  return typed
}

function optionsOf(command: Command | undefined, program: Command): readonly Option[] {
  return [...(command?.options ?? []), ...program.options].filter(({ hidden }) => !hidden)
}

async function valuesOf(call: Call, state: Typed, option: Option): Promise<readonly string[]> {
  if (option.argChoices) return option.argChoices
  const name = option.attributeName()
  return name === 'scope' ? Object.keys(PRESETS) : argumentWords(call, state, name)
}

/** The words for what an argument or an option is called. */
async function argumentWords(call: Call, state: Typed, name: string): Promise<readonly string[]> {
  if (name === 'shell') return ['bash', 'zsh', 'fish']
  if (name === 'template') return shippedNames()
  const ask = ASKED[name]
  if (!ask) return []
  const directory = resolve(call.directory, state.directory ?? '.')
  return withSite({ ...call, directory }, (site) => ask(site, state))
}

const ASKED: Readonly<Record<string, (site: Quire, state: Typed) => Promise<readonly string[]>>> = {
  type: typesOf,
  id: async (site, { values: [type = ''] }) => {
    if (!site.types.get(type)) return []
    return (await site.store.heads(type, {})).items.map(({ key }) => key.id)
  },
  status: async (site, { values: [name = ''] }) => {
    const type = site.types.get(name) ?? site.types.declared()[0] ?? site.types.get('pages')
    return [...(type?.statuses.keys() ?? [])]
  },
  role: async (site) => site.features.users.roles.names(),
  token: async (site) => (await site.features.tokens.list()).map(({ name }) => name),
  who: async (site) => (await site.features.users.list()).map(({ handle }) => handle),
}

async function typesOf(site: Quire): Promise<string[]> {
  const kinds = (await site.store.kinds()).filter((kind) => site.types.get(kind))
  return [...new Set([...site.types.declared().map(({ name }) => name), ...kinds])].sort()
}

/** Those that begin with what is typed. An id may be typed as a path. */
function fitting(words: readonly string[], typed: string): string[] {
  const found = words.filter((word) => word.startsWith(typed))
  const asId = found.length > 0 ? [] : words.filter((word) => word.startsWith(idOf(typed)))
  return [...found, ...asId].slice(0, MOST)
}
