/** A permission of a module, as its manifest has it. */
export type Permission = string

const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?::\d{1,5})?$/
const ROUTE = /^\/api\/[a-z0-9][a-z0-9/-]{0,98}$/
const SCOPE =
  /^(content|taxonomy|media|menus|settings|users|teams|billing|webhooks|modules|audit):[a-z]+(?:@[\p{L}\p{N}][\p{L}\p{N}_-]{0,63})?$/u

/** Words for scopes of records: a verb and its object, where `%` stands for the records. */
const DEEDS: Readonly<Record<string, string>> = {
  'content:read': 'Read % that are live',
  'content:drafts': 'Read drafts of %',
  'content:write': 'Make and change %',
  'content:publish': 'Publish %',
  'content:delete': 'Delete %',
}

const PLAIN: Readonly<Record<string, string>> = {
  store: 'Keep data of its own',
  mail: 'Send email',
  site: 'Hear of each page that is read on the site',
  jobs: 'Work in the background',
}

/** Returns whether a text is a permission that there is. */
export function isPermission(text: string): boolean {
  const [area, ...rest] = text.split(':')
  const value = rest.join(':')
  if (Object.hasOwn(PLAIN, text)) return true
  if (area === 'records') return SCOPE.test(value) && Object.hasOwn(DEEDS, value.split('@')[0] ?? '')
  if (area === 'http') return HOST.test(value)
  return area === 'routes' && ROUTE.test(value)
}

/** Says in plain words what a permission lets a module do: "Read posts that are live". */
export function permissionWords(permission: Permission): string {
  const plain = Object.hasOwn(PLAIN, permission) ? PLAIN[permission] : undefined
  if (plain !== undefined) return plain
  const value = permission.slice(permission.indexOf(':') + 1)
  if (permission.startsWith('http:')) return `Ask ${value} on the internet`
  if (permission.startsWith('routes:')) return `Answer at ${value}`
  const [scope = '', type] = value.split('@')
  return (DEEDS[scope] ?? scope).replace('%', type ?? 'records of all types')
}

/** The difference of the permissions of two versions. */
export function permissionChanges(before: readonly Permission[], after: readonly Permission[]) {
  return { added: after.filter((one) => !before.includes(one)), dropped: before.filter((one) => !after.includes(one)) }
}
