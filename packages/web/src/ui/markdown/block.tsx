import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, memo, type ReactNode } from 'react'
import { Code } from '../code.tsx'
import { joinClasses } from '../join-classes.ts'
import { Inlines } from './inline.tsx'
import { isKnownToken, MOST_DEEP } from './known-token.ts'

export interface BlockProps {
  readonly token: Token
  readonly depth?: number
}

const HEADINGS = ['text-xl', 'text-lg', 'text-base', 'text-base', 'text-sm', 'text-sm'] as const
/** The page has the first, what shows the text the second. */
const FIRST_HEADING = 3
const LAST_HEADING = 6

export const Block = memo(function Block({ token, depth = 0 }: BlockProps) {
  return isKnownToken(token) && depth < MOST_DEEP ? toBlock(token, depth) : <Plain text={token.raw} />
})

function toBlock(token: MarkedToken, depth: number): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined
    case 'heading':
      return createElement(
        `h${Math.min(token.depth + FIRST_HEADING - 1, LAST_HEADING)}`,
        { className: joinClasses('mt-1 font-semibold', HEADINGS[token.depth - 1]) },
        <Inlines tokens={token.tokens} />,
      )
    case 'paragraph':
      return (
        <p>
          <Inlines tokens={token.tokens} />
        </p>
      )
    case 'code':
      return <Code text={token.text} label={token.lang ? `${token.lang} code` : 'code'} />
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-3 border-l-2 pl-4 text-quiet">
          <Nested tokens={token.tokens} depth={depth} />
        </blockquote>
      )
    case 'list':
      return <List token={token} depth={depth} />
    case 'table':
      return <Table token={token} />
    case 'hr':
      return <hr />
    case 'html':
      return <Plain text={token.raw.trimEnd()} />
    default:
      return (
        <p>
          <Inlines tokens={[token]} />
        </p>
      )
  }
}

function Nested({ tokens, depth }: { readonly tokens: readonly Token[]; readonly depth: number }) {
  return tokens.map((token, index) =>
    token.type === 'text' || token.type === 'checkbox' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one block, which changes as a whole
      <Inlines key={index} tokens={[token]} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one block, which changes as a whole
      <Block key={index} token={token} depth={depth + 1} />
    ),
  )
}

function List({ token, depth }: { readonly token: Tokens.List; readonly depth: number }) {
  const items = token.items.map((item, index) => (
    <li
      // biome-ignore lint/suspicious/noArrayIndexKey: a list only grows at its end
      key={index}
      className={item.task ? 'list-none' : undefined}
    >
      <div className={joinClasses('flex flex-col', token.loose ? 'gap-3' : 'gap-1')}>
        {toLines(item.tokens).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one item, which changes as a whole
          <div key={at}>
            <Nested tokens={line} depth={depth} />
          </div>
        ))}
      </div>
    </li>
  ))
  const className = joinClasses('flex flex-col pl-6', token.loose ? 'gap-3' : 'gap-1')
  return token.ordered ? (
    <ol start={token.start === '' ? 1 : token.start} className={joinClasses('list-decimal', className)}>
      {items}
    </ol>
  ) : (
    <ul className={joinClasses('list-disc', className)}>{items}</ul>
  )
}

/** The box of a task stands beside its text; every other part below the one before. */
function toLines(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = []
  for (const token of tokens) {
    const last = lines.at(-1)
    if (last?.at(-1)?.type === 'checkbox') last.push(token)
    else lines.push([token])
  }
  return lines
}

function Table({ token }: { readonly token: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
    <section aria-label="Table" tabIndex={0} className="max-w-full overflow-x-auto rounded-md border">
      <table className="w-full text-sm">
        <thead className="bg-raised">
          <tr>{token.header.map(toCell)}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a table only grows at its end
            <tr key={index} className="border-t">
              {row.map(toCell)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function toCell({ header, align, tokens }: Tokens.TableCell, index: number): ReactNode {
  return createElement(
    header ? 'th' : 'td',
    {
      key: index,
      className: joinClasses(
        // Words stay whole, and the table is scrolled; what is longer than any word is broken.
        'max-w-96 px-3 py-1.5 text-left align-top wrap-break-word',
        align === 'center' && 'text-center',
        align === 'right' && 'text-right',
        header && 'font-medium',
      ),
    },
    <Inlines tokens={tokens} />,
  )
}

function Plain({ text }: { readonly text: string }) {
  return <p className="whitespace-pre-wrap">{text}</p>
}
