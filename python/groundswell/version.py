"""The one place where the version stands: package, jar and Gradle build read it from here."""

VERSION = "0.1.0"
