import { permissionWords } from '#packages/permissions.ts'
import type { DeskModule, DeskOffer } from '../../marketplace-desk.ts'
import { downloadsOf, MODULES_URL, moduleUrl } from './modules-view.ts'

const ICONS: readonly (readonly [RegExp, string])[] = [
  [/^store$/, 'database'],
  [/^mail$/, 'mail'],
  [/^jobs$/, 'clock'],
  [/^site$/, 'chart'],
  [/^http:/, 'globe'],
  [/^routes:/, 'globe'],
]

const PROOFS = {
  good: 'Ed25519, good',
  other: 'By a key that is not trusted here',
  unchecked: 'Not checked: modules.signing_keys names no key',
  none: 'Not signed',
} satisfies Record<DeskOffer['proof'], string>

const STATES = {
  on: 'On',
  off: 'Off',
  due: 'A restart is due',
  disabled: 'Switched off',
} satisfies Record<DeskModule['state'], string>

/** Returns a module as the template `module` shows it; `failed` says what kept it from being added. */
export function moduleView(offer: DeskOffer, locale: string, failed?: string): object {
  const { name, version, author, license, downloads, there, deprecated } = offer
  const url = moduleUrl(name)
  const shown = version ?? there?.version
  const facts = [shown, author && `by ${author}`, license, downloads !== null && downloadsOf(downloads, locale)]
  const isNewer = version !== null && there !== undefined && there.version !== version
  return {
    crumbs: [{ label: 'Modules', url: MODULES_URL }, { label: name }],
    heading: name,
    count: facts.filter(Boolean).join(' · '),
    notices: [
      ...(failed === undefined ? [] : [{ tone: 'bad', title: 'Nothing was changed.', text: failed }]),
      ...(deprecated === null ? [] : [{ tone: 'warn', title: 'It should not be used any more.', text: deprecated }]),
      ...(there?.reason === undefined
        ? []
        : [{ tone: 'bad', title: 'It is off.', text: [there.reason, there.hint].filter(Boolean).join(' ') }]),
    ],
    description: offer.description,
    readme: offer.readme,
    ...(version !== null && (isNewer || !there) && { add: addView(offer, url, version) }),
    ...(there && { there: thereView(there, url) }),
    permissions: offer.permissions.map((one) => ({ ...one, icon: iconOf(one.name) })),
    proof: proofView(offer),
  }
}

function addView({ fits, cms, there, changes }: DeskOffer, url: string, version: string) {
  const rights = [
    ...changes.added.map((one) => ({ sign: '+', says: permissionWords(one), name: one })),
    ...changes.dropped.map((one) => ({ sign: '−', says: permissionWords(one), name: one })),
  ]
  return {
    action: `${url}/add`,
    version,
    label: there ? `Update to ${version}` : `Install ${version}`,
    sentence: fits
      ? there
        ? `It takes the place of ${there.version}. Its data and settings stay.`
        : 'Added to modules/ and to the configuration. Off again at any time.'
      : `It runs with Quire ${cms}, and this is another version.`,
    is_open: fits,
    ...(there && { changes: rights, unchanged: rights.length === 0 }),
  }
}

function thereView({ state, from, version }: DeskModule, url: string) {
  const isOff = state === 'disabled'
  return {
    state: STATES[state],
    version,
    switch: { action: `${url}/${isOff ? 'enable' : 'disable'}`, label: isOff ? 'Switch on' : 'Switch off' },
    ...(from === 'registry' && { remove: `${url}/remove` }),
  }
}

function proofView({ proof, signer, integrity, cms, publishedAt }: DeskOffer) {
  return {
    facts: [
      { label: 'Signature', text: PROOFS[proof] },
      ...(signer === null ? [] : [{ label: 'Key', text: signer, is_code: true }]),
      ...(integrity === null
        ? []
        : [{ label: 'Checksum', text: `${integrity.slice(0, 11)}…${integrity.slice(-4)}`, is_code: true }]),
      { label: 'Runs with', text: `Quire ${cms}` },
    ],
    ...(publishedAt !== null && { published_at: publishedAt }),
  }
}

/** Returns the question before a module is taken away. */
export function removalView(name: string): object {
  return {
    crumbs: [{ label: 'Modules', url: MODULES_URL }, { label: name, url: moduleUrl(name) }, { label: 'Remove' }],
    heading: `Remove ${name}?`,
    sentences: [
      `Its files in modules/${name} go, and what it brings is gone with the next start of the server.`,
      'Its data and settings stay, and are there again if it is added again.',
    ],
    items: [],
    form: { action: `${moduleUrl(name)}/remove`, hidden: [{ name: 'sure', value: 'yes' }] },
    confirm: { label: `Remove ${name}`, tone: 'danger filled' },
    cancel: { label: 'Keep it', url: moduleUrl(name) },
  }
}

function iconOf(permission: string): string {
  return ICONS.find(([pattern]) => pattern.test(permission))?.[1] ?? 'file-text'
}
