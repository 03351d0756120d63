import type { MenuItem } from '../outline/menu.ts'
import { hrefOf, type Place, type SiteSnapshot } from '../outline/site-snapshot.ts'

/** Menus by name; the items of one are made when a template asks for them. */
export function menusView(snapshot: SiteSnapshot, path: string): object {
  const view: object = Object.create(null)
  for (const [name, items] of snapshot.menus)
    Object.defineProperty(view, name, { enumerable: true, get: () => menuViews(items, path, snapshot) })
  return view
}

/** The items of a menu as templates get them, on the page of a path. */
export function menuViews(items: readonly MenuItem[], path: string, place: Place): object[] {
  return items.map((item) => menuView(item, path, place))
}

function menuView(item: MenuItem, path: string, place: Place): object {
  const internal = item.url?.startsWith('/') === true && !item.url.startsWith('//')
  const own = item.page === null ? undefined : hrefOf(place, item.page) + (item.url?.slice(item.page.length) ?? '')
  return {
    label: item.label,
    url: own ?? (internal ? place.base + item.url : item.url),
    current: item.url === path,
    within: internal && item.url !== '/' && path.startsWith(`${item.url}/`),
    new_tab: item.newTab,
    children: item.children.map((child) => menuView(child, path, place)),
  }
}
