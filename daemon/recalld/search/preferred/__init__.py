"""Search by the preferred engine whenever it can answer, by the default one whenever not."""
