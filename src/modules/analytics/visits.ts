import { globPattern } from '#lib/text/glob.ts'
import type { Visit } from '#module/module.ts'
import { remembered } from './remembered.ts'

/** Words in the names of programs that fetch pages by themselves: crawlers, previews of links, monitors, libraries. */
const BOT = new RegExp(
  [
    '(?<!\\bcu)bot|crawl|spider|slurp|scrape|archiver|fetcher|preview|monitor|uptime|pingdom|lighthouse|headless|phantomjs',
    'externalhit|externalagent|whatsapp|mediapartners|inspectiontool|googleother|feedly|validator|checker|scanner|-user\\b',
    '^(?:curl|wget|python|go-http|java|libwww|okhttp|axios|node-fetch|apache-httpclient|ruby|php|perl|guzzle|httpie|postman)\\b',
  ].join('|'),
  'i',
)

/** Most characters of a path that has a row of its own. */
const LONGEST = 500

/** A host of the internet, of an app (`android-app://…`), or an address. Others are made up, of any length and with any sign. */
const HOST = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])$/

/** The name of the row for all that has none of its own. */
export const OTHER = '(other)'

/** Decides which visits count, and what of each. */
export class VisitRules {
  readonly #ignored: readonly RegExp[]
  readonly #bots = new Map<string, boolean>()
  readonly #referrers = new Map<string, string>()
  readonly #hosts = new Map<string, string>()
  readonly #ownHost: string

  /** `ignore` are paths with `*` and `**`; `url` is the address of the site. */
  constructor(ignore: readonly string[], url: string) {
    this.#ignored = ignore.map(globPattern)
    this.#ownHost = hostOf(url)
  }

  /** Returns whether a person seems to have come who did not ask not to be counted. */
  counts({ method, path, headers, isSignedIn }: Visit): boolean {
    if (method !== 'GET' || isSignedIn || headers.dnt === '1' || headers['sec-gpc'] === '1') return false
    const purpose = headers['sec-purpose'] ?? headers.purpose
    if (purpose !== undefined && /prefetch/i.test(purpose)) return false
    if (this.#isBot(headers['user-agent'] ?? '')) return false
    return this.#ignored.length === 0 || !this.#ignored.some((pattern) => pattern.test(pathOf(path)))
  }

  /** Returns the host that a visit came from; an empty text where that is not said, or the site itself. */
  referrerOf({ headers, host }: Visit): string {
    const { referer } = headers
    if (referer === undefined || referer === '') return ''
    const found = remembered(this.#referrers, referer, hostOf)
    return found === this.#ownHost || found === remembered(this.#hosts, host, hostAsked) ? '' : found
  }

  #isBot(agent: string): boolean {
    return remembered(this.#bots, agent, (name) => BOT.test(name))
  }
}

/** Returns the path of a visit as people read it, without its query; OTHER for one that is too long. */
export function pathOf(path: string): string {
  const plain = path.replace(/[?#].*$/s, '')
  if (plain.length > LONGEST) return OTHER
  if (!plain.includes('%')) return plain
  try {
    return decodeURI(plain)
  } catch {
    return plain
  }
}

/** The host of an address, without its port; an empty text where there is none that could be. */
function hostOf(address: string): string {
  const host = URL.canParse(address) ? new URL(address).hostname.toLowerCase() : ''
  return HOST.test(host) ? host : ''
}

/** The name of a host that was asked, without its port. */
function hostAsked(host: string): string {
  return hostOf(`http://${host}`)
}
