import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQuireRouter } from './app/router.tsx'
import { applyTheme } from './app/theme.ts'
import { createQueries } from './services/queries.ts'
import { takeTokenFromAddress } from './session/token.ts'
import './styles.css'

takeTokenFromAddress()
applyTheme()
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the application.')
const queries = createQueries()
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createQuireRouter()} />
    </QueryClientProvider>
  </StrictMode>,
)
