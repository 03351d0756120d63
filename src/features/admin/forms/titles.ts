import type { Access } from '#core/access/access.ts'
import type { Resource } from '../../resource.ts'

/** Most records of one type that are named by their titles at once; others go by their ids. */
const MOST = 100

/** The finder of the resources that a reader sees, by their names. */
export type FindResource = (access: Access, name: string) => Promise<Resource | undefined>

/** The titles of records by type and id, and whether all that was asked for was looked up. */
export interface Titles {
  /** Returns the title of a record; undefined where the reader sees none. */
  of(type: string, id: string): string | undefined
  /** Returns whether a record was looked for, and is not there for the reader. */
  isMissing(type: string, id: string): boolean
}

/** Looks up the titles of the records that lists and menus lead to: ids by type, once for each type. */
export async function titlesOf(
  access: Access,
  find: FindResource,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Titles> {
  const found = new Map<string, string | undefined>()
  await Promise.all(
    [...wanted].map(async ([type, ids]) => {
      const resource = await find(access, `content/${type}`)
      const asked = [...ids].slice(0, MOST)
      if (!resource?.offers || asked.length === 0) return
      const { offered } = await resource.offers(access, { most: MOST, ids: asked })
      const labels = new Map(offered.map(({ value, label }) => [value, label]))
      for (const id of asked) found.set(`${type}/${id}`, labels.get(id))
    }),
  )
  return {
    of: (type, id) => found.get(`${type}/${id}`),
    isMissing: (type, id) => found.has(`${type}/${id}`) && found.get(`${type}/${id}`) === undefined,
  }
}
